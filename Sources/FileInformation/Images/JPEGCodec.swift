#if Formats
    import CTurboJPEG
    import FileProviderCore
    import Foundation

    /// Decodes JPEG with libturbojpeg, which returns error codes and never calls `longjmp` out.
    enum JPEGCodec {
        /// Decodes at the smallest of the library's scales (eighths) that has `dimension` pixels on the longer side.
        ///
        /// A file that is cut off is decoded up to its end.
        /// - Throws: `CocoaError(.fileReadCorruptFile)`, `.fileReadTooLarge`.
        static func decode(_ data: Data, dimension: Int, path: ProviderPath) throws -> Bitmap {
            guard let decoder = tjInitDecompress() else { throw FileError.make(.fileReadUnknown, path: path) }
            defer { tjDestroy(decoder) }
            return try data.withUnsafeBytes { data in
                let source = data.bindMemory(to: UInt8.self)
                var (width, height, sampling, colours): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
                // A failure after the size is known concerns the kind of sampling, which decoding does not need.
                let code = tjDecompressHeader3(
                    decoder, source.baseAddress, UInt(source.count), &width, &height, &sampling, &colours)
                guard width > 0, height > 0 else { throw damaged(decoder, code, path) }
                try check(width: Int(width), height: Int(height), source: source, path: path)
                let size = scaled(width: Int(width), height: Int(height), dimension: dimension)
                let isPrint = colours == Int32(TJCS_CMYK.rawValue) || colours == Int32(TJCS_YCCK.rawValue)
                var bytes = [UInt8](repeating: 255, count: size.width * size.height * 4)
                let result = tjDecompress2(
                    decoder, source.baseAddress, UInt(source.count), &bytes, Int32(size.width), Int32(size.width * 4),
                    Int32(size.height),
                    Int32((isPrint ? TJPF_CMYK : TJPF_RGBA).rawValue), TJFLAG_LIMITSCANS)
                if result != 0, tjGetErrorCode(decoder) != Int32(TJERR_WARNING.rawValue) {
                    throw damaged(decoder, result, path)
                }
                if isPrint { mixInks(&bytes) }
                return Bitmap(width: size.width, height: size.height, bytes: bytes)
            }
        }

        static func encode(_ bitmap: Bitmap, path: ProviderPath) throws -> Data {
            guard let encoder = tjInitCompress() else { throw FileError.make(.fileReadUnknown, path: path) }
            defer { tjDestroy(encoder) }
            var output: UnsafeMutablePointer<UInt8>?
            var count: UInt = 0
            defer { tjFree(output) }
            let code = tjCompress2(
                encoder, bitmap.bytes, Int32(bitmap.width), Int32(bitmap.width * 4), Int32(bitmap.height),
                Int32(TJPF_RGBX.rawValue),
                &output, &count, Int32(TJSAMP_420.rawValue), 85, 0)
            guard code == 0, let output else { throw damaged(encoder, code, path) }
            return Data(bytes: output, count: Int(count))
        }

        private static func scaled(width: Int, height: Int, dimension: Int) -> (width: Int, height: Int) {
            for eighths in 1...7 {
                let size = ((width * eighths + 7) / 8, (height * eighths + 7) / 8)
                if max(size.0, size.1) >= dimension { return size }
            }
            return (width, height)
        }

        /// Every scan of a progressive file covers all of its pixels, and a scan may be a few bytes.
        private static func check(width: Int, height: Int, source: UnsafeBufferPointer<UInt8>, path: ProviderPath)
            throws
        {
            let (scans, isBuffered) = scans(in: source)
            let pixels = width * height
            let maxPixels = isBuffered ? InformationLimits.pixels : InformationLimits.scalablePixels
            guard pixels <= maxPixels, !isBuffered || pixels * scans <= InformationLimits.scannedPixels else {
                throw FileError.make(
                    .fileReadTooLarge, path: path,
                    sentence:
                        "“\(path)” is too large: \(width) × \(height) pixels in \(scans) scans are over the limit.")
            }
        }

        /// Returns the number of scans over the pixels, and whether all pixels must be buffered: in a progressive file,
        /// and in one whose scans have less than all of its components (ITU-T T.81, annex B).
        private static func scans(in source: UnsafeBufferPointer<UInt8>) -> (count: Int, isBuffered: Bool) {
            var (scans, components, isBuffered, index) = (0, UInt8(1), false, 2)
            while index + 10 <= source.count {
                let marker = source[index + 1]
                // Packed pixels, fill bytes and restarts have no length.
                guard source[index] == 0xFF, marker != 0xFF, marker > 0x01, !(0xD0...0xD8).contains(marker) else {
                    index += 1
                    continue
                }
                if marker == 0xD9 { break }
                switch marker {
                case 0xDA:
                    scans += 1
                    if scans > 1 || source[index + 4] < components { isBuffered = true }
                case 0xC2, 0xC6, 0xCA, 0xCE: isBuffered = true
                case 0xC0, 0xC1, 0xC9: components = source[index + 9]
                default: break
                }
                index += 2 + (Int(source[index + 2]) << 8 | Int(source[index + 3]))
            }
            return (scans, isBuffered)
        }

        /// Converts cyan, magenta, yellow and black to red, green and blue. All programs that write such files invert
        /// the values, as Adobe's do.
        private static func mixInks(_ bytes: inout [UInt8]) {
            for pixel in stride(from: 0, to: bytes.count, by: 4) {
                let black = Int(bytes[pixel + 3])
                for ink in 0..<3 { bytes[pixel + ink] = UInt8(Int(bytes[pixel + ink]) * black / 255) }
                bytes[pixel + 3] = 255
            }
        }

        private static func damaged(_ codec: tjhandle, _ code: Int32, _ path: ProviderPath) -> CocoaError {
            let reason = tjGetErrorStr2(codec).map { String(cString: $0) } ?? "error \(code)"
            return FileError.make(
                .fileReadCorruptFile, path: path, sentence: "“\(path)” is a damaged JPEG file: \(reason).")
        }
    }
#endif
