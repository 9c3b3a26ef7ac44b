import FileProviderCore
import Foundation

/// Properties and thumbnails of images.
enum ImageInformation {
    static func properties(_ reader: any FileReader) async throws -> FileProperties {
        let header = try await ImageHeader(reader)
        var properties = FileProperties()
        properties.set("mediaType", text: header.format.rawValue)
        properties.set("width", .integer(Int64(header.width)))
        properties.set("height", .integer(Int64(header.height)))
        for (key, text) in header.texts {
            if let name = keywords[key] { properties.set(name, text: text) }
        }
        #if Formats
            if let exif = header.exif {
                let fields = try await InformationThreads.decoding.run { ExifFields(exif).fields }
                for (name, value) in fields { properties.set(name, value) }
            }
        #endif
        return properties
    }

    /// PNG, third edition, section 11.3.3.1; the other keywords are not shown.
    private static let keywords = [
        "Title": "title", "Author": "author", "Description": "description", "Copyright": "copyright",
        "Software": "software",
        "Comment": "comment", "Creation Time": "created",
    ]
}

#if Formats
    extension ImageInformation {
        /// - Complexity: One range if a photograph's EXIF data have a picture that is large enough; otherwise the whole
        ///   file.
        static func thumbnail(_ reader: any FileReader, _ request: ThumbnailRequest) async throws -> Thumbnail {
            guard request.page == 1 else {
                throw FileError.make(
                    .fileReadNoSuchFile, path: reader.path,
                    sentence: "“\(reader.path)” is a single picture and has no page \(request.page).")
            }
            let header = try await ImageHeader(reader)
            let exif: ExifFields?
            if let segment = header.exif {
                exif = try await InformationThreads.decoding.run { ExifFields(segment) }
            } else {
                exif = nil
            }
            let orientation = exif?.orientation ?? 1
            if let inner = await usable(exif?.thumbnail, for: header, request, path: reader.path) {
                do { return try await make(inner, .jpeg, request, orientation, reader.path) } catch let error
                    as CocoaError
                    where error.code == .fileReadCorruptFile
                {
                    // The embedded picture is damaged; the image itself may be intact.
                }
            }
            let data = try await reader.readAll(limit: InformationLimits.imageBytes)
            return try await make(data, header.format, request, orientation, reader.path)
        }

        /// Returns the picture in the EXIF data, if it is as large as wanted and of the same shape: some cameras add
        /// black bars to it.
        private static func usable(
            _ inner: Data?, for header: ImageHeader, _ request: ThumbnailRequest, path: ProviderPath
        ) async -> Data? {
            guard let inner, let small = try? await ImageHeader(DataReader(inner, path: path)), small.format == .jpeg
            else { return nil }
            let wanted = min(request.dimension, max(header.width, header.height))
            let shapes = Double(small.width * header.height) / Double(small.height * header.width)
            return max(small.width, small.height) >= wanted && abs(shapes - 1) < 0.02 ? inner : nil
        }

        private static func make(
            _ data: Data, _ format: ImageHeader.Format, _ request: ThumbnailRequest, _ orientation: Int,
            _ path: ProviderPath
        ) async throws -> Thumbnail {
            try await InformationThreads.decoding.run { flag in
                let decoded = try decode(data, format, dimension: request.dimension, path: path)
                try flag.check()
                let bitmap = decoded.scaledDown(to: request.dimension).turned(by: orientation)
                try flag.check()
                return try encode(bitmap, path: path)
            }
        }

        private static func decode(_ data: Data, _ format: ImageHeader.Format, dimension: Int, path: ProviderPath)
            throws -> Bitmap
        {
            switch format {
            case .jpeg: try JPEGCodec.decode(data, dimension: dimension, path: path)
            case .png: try PNGCodec.decode(data, path: path)
            case .webp: try WebPDecoder.decode(data, dimension: dimension, path: path)
            case .gif:
                throw FileError.make(
                    .featureUnsupported, path: path,
                    sentence: "“\(path)” is a GIF file; thumbnails of GIF are not supported."
                )
            }
        }

        private static func encode(_ bitmap: Bitmap, path: ProviderPath) throws -> Thumbnail {
            let isTransparent = bitmap.isTransparent
            let data =
                isTransparent ? try PNGCodec.encode(bitmap, path: path) : try JPEGCodec.encode(bitmap, path: path)
            return Thumbnail(
                data: data, mediaType: isTransparent ? "image/png" : "image/jpeg", width: bitmap.width,
                height: bitmap.height)
        }
    }
#endif
