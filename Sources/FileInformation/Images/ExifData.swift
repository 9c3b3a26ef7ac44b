#if Formats
    import CExif
    import FileProviderCore
    import Foundation

    /// EXIF data by libexif (Exif 2.32).
    struct ExifFields: Sendable {
        /// By the standard's field names, in the order of the file.
        private(set) var fields: [(name: String, value: FileProperties.Value)] = []
        /// The orientation, 1–8.
        private(set) var orientation = 1
        /// The embedded JPEG thumbnail.
        private(set) var thumbnail: Data?

        /// - Parameter segment: `Exif`, two zeros, and a TIFF structure. Unreadable parts of it are left out.
        init(_ segment: Data) {
            guard let data = exif_data_new() else { return }
            defer { exif_data_unref(data) }
            // Unchanged: no conversion, and no adding of fields that the standard requires.
            exif_data_unset_option(data, EXIF_DATA_OPTION_FOLLOW_SPECIFICATION)
            exif_data_set_option(data, EXIF_DATA_OPTION_IGNORE_UNKNOWN_TAGS)
            exif_data_set_option(data, EXIF_DATA_OPTION_DONT_CHANGE_MAKER_NOTE)
            segment.withUnsafeBytes { bytes in
                exif_data_load_data(data, bytes.bindMemory(to: UInt8.self).baseAddress, UInt32(bytes.count))
            }
            let order = exif_data_get_byte_order(data)
            // Directory 1 describes the embedded thumbnail, the fifth is for programs.
            for directory in [EXIF_IFD_0, EXIF_IFD_EXIF, EXIF_IFD_GPS] {
                let contents = withUnsafeBytes(of: data.pointee.ifd) {
                    Array($0.bindMemory(to: UnsafeMutablePointer<ExifContent>?.self))
                }
                guard let content = contents[Int(directory.rawValue)] else { continue }
                for index in 0..<Int(content.pointee.count) {
                    if let entry = content.pointee.entries[index] { add(entry.pointee, in: directory, order: order) }
                }
            }
            if let bytes = data.pointee.data, data.pointee.size > 0 {
                thumbnail = Data(bytes: bytes, count: Int(data.pointee.size))
            }
        }

        private mutating func add(_ entry: ExifEntry, in directory: ExifIfd, order: ExifByteOrder) {
            guard let bytes = entry.data, entry.components > 0,
                let name = exif_tag_get_name_in_ifd(entry.tag, directory)
            else { return }
            let buffer = UnsafeBufferPointer(start: bytes, count: Int(entry.size))
            guard let value = Self.value(entry, buffer, order: order) else { return }
            if directory == EXIF_IFD_0, entry.tag == EXIF_TAG_ORIENTATION, case .integer(let number) = value {
                orientation = Int(number)
            }
            fields.append((String(cString: name), value))
        }

        private static func value(_ entry: ExifEntry, _ bytes: UnsafeBufferPointer<UInt8>, order: ExifByteOrder)
            -> FileProperties.Value?
        {
            if entry.format == EXIF_FORMAT_ASCII { return text(bytes) }
            if entry.format == EXIF_FORMAT_UNDEFINED { return undefined(entry.tag, bytes: bytes) }
            let width = Int(exif_format_get_size(entry.format))
            guard entry.components <= 64, width > 0, Int(entry.components) * width <= bytes.count,
                let base = bytes.baseAddress
            else {
                return nil
            }
            let values = (0..<Int(entry.components)).compactMap { number(entry.format, base + $0 * width, order) }
            guard values.count == Int(entry.components) else { return nil }
            return values.count == 1 ? values[0] : .list(values)
        }

        private static func number(_ format: ExifFormat, _ at: UnsafePointer<UInt8>, _ order: ExifByteOrder)
            -> FileProperties.Value?
        {
            switch format {
            case EXIF_FORMAT_BYTE: return .integer(Int64(at.pointee))
            case EXIF_FORMAT_SHORT: return .integer(Int64(exif_get_short(at, order)))
            case EXIF_FORMAT_LONG: return .integer(Int64(exif_get_long(at, order)))
            case EXIF_FORMAT_SLONG: return .integer(Int64(exif_get_slong(at, order)))
            case EXIF_FORMAT_RATIONAL:
                let fraction = exif_get_rational(at, order)
                return fraction.denominator == 0
                    ? nil : .double(Double(fraction.numerator) / Double(fraction.denominator))
            case EXIF_FORMAT_SRATIONAL:
                let fraction = exif_get_srational(at, order)
                return fraction.denominator == 0
                    ? nil : .double(Double(fraction.numerator) / Double(fraction.denominator))
            default: return nil
            }
        }

        private static func text(_ bytes: some Sequence<UInt8>) -> FileProperties.Value? {
            let text = String(decoding: Array(bytes.prefix { $0 != 0 }), as: UTF8.self).trimmingCharacters(
                in: .whitespaces)
            return text.isEmpty ? nil : .string(String(text.prefix(InformationLimits.text)))
        }

        /// Returns the value of a text field among those whose bytes the standard defines individually.
        private static func undefined(_ tag: ExifTag, bytes: UnsafeBufferPointer<UInt8>) -> FileProperties.Value? {
            switch tag {
            case EXIF_TAG_EXIF_VERSION, EXIF_TAG_FLASH_PIX_VERSION: text(bytes)
            case EXIF_TAG_USER_COMMENT where bytes.starts(with: "ASCII\0\0\0".utf8): text(bytes.dropFirst(8))
            default: nil
            }
        }
    }
#endif
