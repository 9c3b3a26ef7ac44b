/// The header of a frame of MPEG audio, layers I to III (ISO/IEC 11172-3, section 2.4.1.3; 13818-3).
struct MPEGFrame {
    /// Bytes of the frame.
    let length: Int
    private let samples: Int
    private let sampleRate: Int
    /// Bits in a second.
    private let bitRate: Int
    /// Bytes of side information after the header (layer III), behind which encoders store the number of frames.
    private let sideInformation: Int

    /// The frame at the start of `bytes`; nil if there is none.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard let header = bytes.big(0, 4).map(Int.init), header >> 21 == 0x7FF else { return nil }
        let (version, layer) = ((header >> 19) & 3, 4 - ((header >> 17) & 3))
        let (rate, frequency, padding) = ((header >> 12) & 15, (header >> 10) & 3, (header >> 9) & 1)
        guard version != 1, layer != 4, (1...14).contains(rate), frequency != 3 else { return nil }
        let isFirst = version == 3
        let isMono = (header >> 6) & 3 == 3
        sampleRate = [44_100, 48_000, 32_000][frequency] >> (isFirst ? 0 : version == 2 ? 1 : 2)
        bitRate = (isFirst ? Self.rates1[layer - 1] : Self.rates2[layer - 1])[rate] * 1_000
        samples = layer == 1 ? 384 : layer == 2 || isFirst ? 1_152 : 576
        length = layer == 1 ? (12 * bitRate / sampleRate + padding) * 4 : samples / 8 * bitRate / sampleRate + padding
        sideInformation = isFirst ? (isMono ? 17 : 32) : (isMono ? 9 : 17)
    }

    /// Kilobits in a second by layer and index, for MPEG 1 and for its later versions.
    private static let rates1 = [
        [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
        [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
        [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    ]
    private static let rates2 = [
        [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
        [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
        [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    ]

    /// Returns the seconds of the sound that begins in `start` and has `audioBytes` in all: by the number of frames
    /// that encoders store in the first one, else by its bit rate.
    ///
    /// A frame counts only if another one follows it.
    static func duration(_ start: ArraySlice<UInt8>, audioBytes: Int64) -> Double? {
        for index in start.indices {
            guard start[index] == 0xFF, let frame = MPEGFrame(start[index...]) else { continue }
            let next = start[index...].dropFirst(frame.length)
            // At the end of the available bytes nothing can follow; far behind the start that would be chance.
            guard MPEGFrame(next) != nil || (next.count < 4 && index == start.startIndex) else { continue }
            let bytes = start[index...].prefix(frame.length)
            if let frames = frame.frameCount(bytes) {
                return Double(frames) * Double(frame.samples) / Double(frame.sampleRate)
            }
            let rest = audioBytes - Int64(index - start.startIndex)
            return rest > 0 ? Double(rest) * 8 / Double(frame.bitRate) : nil
        }
        return nil
    }

    /// Returns the count from a header called Xing, Info or VBRI; nil if there is none.
    private func frameCount(_ bytes: ArraySlice<UInt8>) -> Int64? {
        let xing = bytes.dropFirst(4 + sideInformation)
        if xing.starts(with: "Xing".utf8) || xing.starts(with: "Info".utf8) {
            guard let flags = xing.big(4, 4), flags & 1 != 0, let count = xing.big(8, 4), count > 0 else { return nil }
            return count
        }
        let fraunhofer = bytes.dropFirst(36)
        guard fraunhofer.starts(with: "VBRI".utf8), let count = fraunhofer.big(14, 4), count > 0 else { return nil }
        return count
    }
}
