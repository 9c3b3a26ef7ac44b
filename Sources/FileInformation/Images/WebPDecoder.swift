#if Formats
    import CWebP
    import FileProviderCore
    import Foundation

    /// Decodes WebP with libwebp, which scales pictures down while it decodes them.
    enum WebPDecoder {
        /// - Throws: `CocoaError(.fileReadCorruptFile)`, `.fileReadTooLarge`, `.featureUnsupported` for an animation.
        static func decode(_ data: Data, dimension: Int, path: ProviderPath) throws -> Bitmap {
            try data.withUnsafeBytes { data in
                let source = data.bindMemory(to: UInt8.self)
                var config = WebPDecoderConfig()
                guard WebPInitDecoderConfig(&config) != 0 else { throw FileError.make(.fileReadUnknown, path: path) }
                let found = WebPGetFeatures(source.baseAddress, source.count, &config.input)
                guard found == VP8_STATUS_OK else { throw damaged(found, path) }
                try check(config.input, path: path)
                let size = Bitmap.fit(
                    width: Int(config.input.width), height: Int(config.input.height), dimension: dimension)
                var bytes = [UInt8](repeating: 0, count: size.width * size.height * 4)
                config.options.use_scaling = 1
                config.options.scaled_width = Int32(size.width)
                config.options.scaled_height = Int32(size.height)
                config.output.colorspace = MODE_RGBA
                config.output.is_external_memory = 1
                let status = bytes.withUnsafeMutableBufferPointer { buffer in
                    config.output.u.RGBA = WebPRGBABuffer(
                        rgba: buffer.baseAddress, stride: Int32(size.width * 4), size: buffer.count)
                    return WebPDecode(source.baseAddress, source.count, &config)
                }
                WebPFreeDecBuffer(&config.output)
                guard status == VP8_STATUS_OK else { throw damaged(status, path) }
                return Bitmap(width: size.width, height: size.height, bytes: bytes)
            }
        }

        private static func check(_ features: WebPBitstreamFeatures, path: ProviderPath) throws {
            guard features.has_animation == 0 else {
                throw FileError.make(
                    .featureUnsupported, path: path,
                    sentence: "“\(path)” is an animated WebP file; thumbnails of animations are not supported.")
            }
            // Format 2 is lossless, which is decoded in full before it is scaled down.
            let maxPixels = features.format == 2 ? InformationLimits.pixels : InformationLimits.scalablePixels
            guard features.width > 0, features.height > 0, Int(features.width) * Int(features.height) <= maxPixels
            else {
                throw FileError.make(
                    .fileReadTooLarge, path: path,
                    sentence:
                        "“\(path)” is too large: \(features.width) × \(features.height) pixels are over the limit.")
            }
        }

        private static func damaged(_ status: VP8StatusCode, _ path: ProviderPath) -> CocoaError {
            let reason =
                status == VP8_STATUS_NOT_ENOUGH_DATA || status == VP8_STATUS_SUSPENDED
                ? "it is cut off" : "code \(status.rawValue)"
            return FileError.make(
                .fileReadCorruptFile, path: path, sentence: "“\(path)” is a damaged WebP file: \(reason).")
        }
    }
#endif
