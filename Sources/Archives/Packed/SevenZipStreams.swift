#if Formats
    /// The streams of a 7z archive, as far as libarchive allocates memory for them.
    struct SevenZipStreams {
        /// The range of each packed stream, counted from behind the first header.
        private(set) var packed: [Range<Int64>] = []
        private(set) var folders: [SevenZipFolder] = []
        /// The part of the list that describes the folders, unparsed.
        private(set) var folderList: ArraySlice<UInt8> = []

        /// Reads the part behind the property that announces it.
        init(_ bytes: inout SevenZipBytes, limits: ArchiveLimits) throws(SevenZipFlaw) {
            var property = try bytes.byte()
            if property == SevenZipProperty.packInfo {
                try readPacked(&bytes, limits: limits)
                property = try bytes.byte()
            }
            if property == SevenZipProperty.unpackInfo {
                let start = bytes.position - 1
                try readFolders(&bytes, limits: limits)
                folderList = bytes.taken(from: start)
                property = try bytes.byte()
            }
            if property == SevenZipProperty.subStreams {
                try readContents(&bytes, limits)
                property = try bytes.byte()
            }
            guard property == SevenZipProperty.end else { throw .unknown }
        }

        private mutating func readPacked(_ bytes: inout SevenZipBytes, limits: ArchiveLimits) throws(SevenZipFlaw) {
            var position = try bytes.number()
            // A folder has four at most.
            let count = try bytes.count(of: "packed streams", upTo: 4 * Int64(limits.entries))
            guard try bytes.byte() == SevenZipProperty.size else { throw .unknown }
            for _ in 0..<count {
                let (end, overflow) = position.addingReportingOverflow(try bytes.number())
                if overflow { throw .damaged }
                packed.append(position..<end)
                position = end
            }
            let property = try bytes.byte()
            if property == SevenZipProperty.end { return }
            // libarchive 3.6 takes the second one for the first.
            guard property == SevenZipProperty.checksum || property == SevenZipProperty.size else { throw .unknown }
            _ = try bytes.checksums(count)
            guard try bytes.byte() == SevenZipProperty.end else { throw .unknown }
        }

        private mutating func readFolders(_ bytes: inout SevenZipBytes, limits: ArchiveLimits) throws(SevenZipFlaw) {
            guard try bytes.byte() == SevenZipProperty.folder else { throw .unknown }
            let count = try bytes.count(of: "folders", upTo: Int64(limits.entries))
            // Packers don't write folders in an external stream.
            guard try bytes.byte() == 0 else { throw .unknown }
            for _ in 0..<count { folders.append(try SevenZipFolder(&bytes)) }
            guard try bytes.byte() == SevenZipProperty.unpackSizes else { throw .unknown }
            for index in folders.indices { try folders[index].readSizes(&bytes) }
            var property = try bytes.byte()
            if property == SevenZipProperty.checksum {
                for (index, isThere) in try bytes.checksums(count).enumerated() { folders[index].hasChecksum = isThere }
                property = try bytes.byte()
            }
            guard property == SevenZipProperty.end else { throw .unknown }
        }

        /// Reads how many files each folder holds, their sizes and checksums.
        private func readContents(_ bytes: inout SevenZipBytes, _ limits: ArchiveLimits) throws(SevenZipFlaw) {
            var counts = [Int](repeating: 1, count: folders.count)
            var property = try bytes.byte()
            if property == SevenZipProperty.unpackStreams {
                var total: Int64 = 0
                for index in counts.indices {
                    counts[index] = try bytes.count(of: "files", upTo: Int64(limits.entries) - total)
                    total += Int64(counts[index])
                }
                property = try bytes.byte()
            }
            if property == SevenZipProperty.size {
                // The size of a folder's last file is the rest.
                for count in counts { for _ in 0..<max(0, count - 1) { _ = try bytes.number() } }
                property = try bytes.byte()
            }
            if property == SevenZipProperty.checksum {
                _ = try bytes.checksums(
                    zip(counts, folders).reduce(0) { $0 + ($1.0 == 1 && $1.1.hasChecksum ? 0 : $1.0) })
                property = try bytes.byte()
            }
            guard property == SevenZipProperty.end else { throw .unknown }
        }
    }

    /// The properties that begin the parts of a list (7zFormat.txt).
    enum SevenZipProperty {
        static let end: UInt8 = 0x00
        static let list: UInt8 = 0x01
        static let mainStreams: UInt8 = 0x04
        static let files: UInt8 = 0x05
        static let packInfo: UInt8 = 0x06
        static let unpackInfo: UInt8 = 0x07
        static let subStreams: UInt8 = 0x08
        static let size: UInt8 = 0x09
        static let checksum: UInt8 = 0x0A
        static let folder: UInt8 = 0x0B
        static let unpackSizes: UInt8 = 0x0C
        static let unpackStreams: UInt8 = 0x0D
        static let names: UInt8 = 0x11
        static let packedList: UInt8 = 0x17
    }
#endif
