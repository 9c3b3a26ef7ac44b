#if Formats
    import CPNG
    import FileProviderCore
    import Foundation

    /// Decodes PNG with libpng's simplified interface, which keeps its `longjmp` calls inside.
    enum PNGCodec {
        /// - Throws: `CocoaError(.fileReadCorruptFile)`, `.fileReadTooLarge`.
        static func decode(_ data: Data, path: ProviderPath) throws -> Bitmap {
            var image = png_image()
            image.version = UInt32(PNG_IMAGE_VERSION)
            defer { png_image_free(&image) }
            return try pixelsOnly(data).withUnsafeBytes { data in
                guard png_image_begin_read_from_memory(&image, data.baseAddress, data.count) != 0 else {
                    throw damaged(image, path)
                }
                let (width, height) = (Int(image.width), Int(image.height))
                guard width > 0, height > 0, width <= InformationLimits.pixels / height else {
                    throw FileError.make(
                        .fileReadTooLarge, path: path,
                        sentence: "“\(path)” is too large: \(width) × \(height) pixels are over the limit.")
                }
                image.format = carrel_PNG_FORMAT_RGBA
                var bytes = [UInt8](repeating: 0, count: width * height * 4)
                guard png_image_finish_read(&image, nil, &bytes, Int32(width * 4), nil) != 0 else {
                    throw damaged(image, path)
                }
                return Bitmap(width: width, height: height, bytes: bytes)
            }
        }

        /// Returns the file with only the chunks that its pixels need.
        ///
        /// libpng unpacks each compressed text and drops it: 8 MB of them took half a minute of processor time.
        private static func pixelsOnly(_ data: Data) -> Data {
            let kept = Set(
                ["IHDR", "PLTE", "IDAT", "IEND", "tRNS", "gAMA", "cHRM", "sRGB", "sBIT"].map { Data($0.utf8) })
            var result = Data(data.prefix(8))
            var offset = 8
            while offset + 8 <= data.count {
                let length = Array(data[offset..<offset + 4]).bigEndian(0, 4)
                let end = min(offset + 12 + length, data.count)
                if kept.contains(data[offset + 4..<offset + 8]) { result += data[offset..<end] }
                offset = end
            }
            return result
        }

        static func encode(_ bitmap: Bitmap, path: ProviderPath) throws -> Data {
            var image = png_image()
            image.version = UInt32(PNG_IMAGE_VERSION)
            image.width = UInt32(bitmap.width)
            image.height = UInt32(bitmap.height)
            image.format = carrel_PNG_FORMAT_RGBA
            defer { png_image_free(&image) }
            // Incompressible pixels take a little more than their own size.
            var output = [UInt8](repeating: 0, count: bitmap.bytes.count + bitmap.height * 8 + 65_536)
            var count = output.count
            guard png_image_write_to_memory(&image, &output, &count, 0, bitmap.bytes, Int32(bitmap.width * 4), nil) != 0
            else {
                throw damaged(image, path)
            }
            return Data(output.prefix(count))
        }

        private static func damaged(_ image: png_image, _ path: ProviderPath) -> CocoaError {
            let reason = withUnsafeBytes(of: image.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            return FileError.make(
                .fileReadCorruptFile, path: path, sentence: "“\(path)” is a damaged PNG file: \(reason).")
        }
    }
#endif
