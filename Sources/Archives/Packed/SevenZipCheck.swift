#if Formats
    import FileProviderCore
    import Foundation

    /// Checks the list of a 7z archive before libarchive allocates memory for its claims: forty bytes can claim files
    /// for 9 GB.
    struct SevenZipCheck {
        private static let headerLength: Int64 = 32

        let source: PackedSource
        let limits: ArchiveLimits

        private var path: String { source.reader.path.string }

        /// - Throws: `CocoaError(.fileReadTooLarge)` over the limits; `.fileReadCorruptFile`; `.featureUnsupported`;
        ///   errors of reading.
        func run() throws {
            do {
                try checkList()
            } catch let flaw as SevenZipFlaw {
                switch flaw {
                case .damaged:
                    throw FileError.make(.fileReadCorruptFile, path: path, sentence: "“\(path)” is a damaged archive.")
                case .unknown:
                    throw FileError.make(
                        .featureUnsupported, path: path,
                        sentence: "“\(path)” has a list in a form that is not supported.")
                case .tooLarge(let what):
                    throw FileError.make(
                        .fileReadTooLarge, path: path, sentence: "“\(path)” claims \(what), which is the limit.")
                }
            }
        }

        private func checkList() throws {
            let start = Array(try bytes(12..<Self.headerLength))
            let (offset, count) = (Self.number(start[0..<8]), Self.number(start[8..<16]))
            // An archive without files has no list.
            if count == 0 { return }
            guard count > 0, count <= limits.directoryBytes else { throw tooLong }
            guard offset >= 0, offset <= source.size - Self.headerLength - count else { throw SevenZipFlaw.damaged }
            var list = Array(try bytes(Self.headerLength + offset..<Self.headerLength + offset + count))
            if list.first == SevenZipProperty.packedList { list = try unpacked(list) }
            try check(list)
        }

        private func check(_ list: [UInt8]) throws(SevenZipFlaw) {
            var bytes = SevenZipBytes(list)
            guard try bytes.byte() == SevenZipProperty.list else { throw .unknown }
            var property = try bytes.byte()
            if property == SevenZipProperty.mainStreams {
                _ = try SevenZipStreams(&bytes, limits: limits)
                property = try bytes.byte()
            }
            if property == SevenZipProperty.end { return }
            guard property == SevenZipProperty.files else { throw .unknown }
            _ = try bytes.count(of: "entries", upTo: Int64(limits.entries))
        }

        // MARK: A list that is packed

        private func unpacked(_ list: [UInt8]) throws -> [UInt8] {
            var bytes = SevenZipBytes(list)
            _ = try bytes.byte()
            let streams = try SevenZipStreams(&bytes, limits: limits)
            guard streams.packed.count == 1, streams.folders.count == 1, let size = streams.folders[0].sizes.max()
            else {
                throw SevenZipFlaw.unknown
            }
            let position = streams.packed[0]
            guard size <= limits.directoryBytes, position.count <= limits.directoryBytes else { throw tooLong }
            guard position.upperBound <= source.size - Self.headerLength else { throw SevenZipFlaw.damaged }
            let data = try self.bytes(Self.headerLength + position.lowerBound..<Self.headerLength + position.upperBound)
            return try SevenZipListFile(data, folderList: streams.folderList).unpack(
                upTo: Int(limits.directoryBytes), path: path)
        }

        private var tooLong: SevenZipFlaw { .tooLarge("a list of more than \(limits.directoryBytes) bytes") }

        private func bytes(_ range: Range<Int64>) throws -> Data {
            guard range.upperBound <= source.size else { throw SevenZipFlaw.damaged }
            return try source.bytes(range)
        }

        private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
            bytes.reversed().reduce(0) { $0 << 8 | Int64($1) }
        }
    }
#endif
