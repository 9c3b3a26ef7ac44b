/// The header of an AAC frame in a stream of frames, as in `aac` files (ISO/IEC 13818-7, section 6.2).
struct ADTSFrame {
    private static let sampleRates = [
        96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
    ]

    /// Bytes of the frame.
    private let length: Int
    /// Seconds.
    private let duration: Double

    /// The frame at the start of `bytes`; nil if there is none.
    private init?(_ bytes: ArraySlice<UInt8>) {
        guard let header = bytes.big(0, 7).map(Int.init), header >> 40 & 0xFFF6 == 0xFFF0 else { return nil }
        let rate = header >> 34 & 0xF
        length = header >> 13 & 0x1FFF
        guard rate < Self.sampleRates.count, length >= 7 else { return nil }
        duration = Double(1_024 * (header & 3 + 1)) / Double(Self.sampleRates[rate])
    }

    /// Returns the seconds of the sound that begins in `start` and has `audioBytes` in all, assuming a constant bit
    /// rate; nil for sound of another kind.
    static func duration(_ start: ArraySlice<UInt8>, audioBytes: Int64) -> Double? {
        var (bytes, seconds, count) = (0, 0.0, 0)
        while let frame = ADTSFrame(start.dropFirst(bytes)) {
            bytes += frame.length
            seconds += frame.duration
            count += 1
        }
        return count > 1 || bytes == audioBytes ? seconds * Double(audioBytes) / Double(bytes) : nil
    }
}
