import CurlTransport
import FileProviderCore
import Foundation

/// The behaviour of a WebDAV server where servers differ: a row for each vendor, corrected by the server's answers.
///
/// ``WebDAVFileProvider/quirks()`` discovers it, ``WebDAVServers`` remembers it, and ``WebDAVConfiguration/quirks``
/// keeps it beyond the process. A value that you give is used without asking the
/// server. The settings of ``WebDAVFileProvider/registration`` override all of these.
public struct WebDAVQuirks: Codable, Hashable, Sendable {
    /// The maker of the server.
    public enum Vendor: String, Codable, Hashable, Sendable, CaseIterable {
        /// Apache's mod_dav.
        case apache
        /// nginx with its dav-ext module.
        case nginx
        /// lighttpd's mod_webdav.
        case lighttpd
        /// `rclone serve webdav`, and other servers on the WebDAV package of Go.
        case rclone
        /// WsgiDAV.
        case wsgidav
        /// Nextcloud.
        case nextcloud
        /// ownCloud.
        case owncloud
        /// SharePoint and OneDrive for Business.
        case sharepoint
        /// Any other server: nothing is assumed.
        case other
    }

    /// How a server treats the condition of a write (RFC 9110, section 13).
    public enum Condition: String, Codable, Hashable, Sendable, CaseIterable {
        /// It ignores the condition and writes.
        case ignored
        /// It checks before it writes; two writes at the same moment may both pass.
        case looked
        /// Exactly one of any number of writes at the same moment passes.
        case exclusive
    }

    /// How reliable the locks of a server are (RFC 4918, section 6).
    public enum Locks: String, Codable, Hashable, Sendable, CaseIterable {
        /// The server has no locks.
        case none
        /// Good enough for a person who edits a file. Writes don't use them: Apache loses or keeps locks when several,
        /// of any names, are taken or given back at the same moment, and WsgiDAV forgets a lock when its file is
        /// replaced.
        case shaky
        /// Exactly one of any number of clients that ask at the same moment gets the lock.
        case exclusive
    }

    /// When a write locks the name for the moment in which its file appears. Costs two more requests, if the locks are
    /// ``Locks/exclusive``.
    public enum LockUse: String, Codable, Hashable, Sendable, CaseIterable {
        /// Never.
        case never
        /// For writes with `ifMatch`.
        case conditional
        /// Also for writes that may replace nothing. A process that dies at that moment may leave an empty file under
        /// the name.
        case always
    }

    /// How the modification time of a file is set (RFC 4918 has no way).
    public enum TimeSetting: String, Codable, Hashable, Sendable, CaseIterable {
        /// It cannot be set.
        case none
        /// `Date` with the upload, as nginx reads it.
        case date
        /// `X-OC-Mtime` with the upload, and `PROPPATCH` of `DAV:lastmodified` later, as ownCloud introduced it.
        case ocMtime
    }

    /// The maker of the server, as its answers show.
    public var vendor: Vendor
    /// How the server treats `If-None-Match: *` with a `PUT`.
    public var ifNoneMatch = Condition.ignored
    /// How the server treats `If-Match` with a `PUT`.
    public var ifMatch = Condition.ignored
    /// Whether the server checks the tags in an `If` header, also for the destination of a `MOVE` (RFC 4918, section
    /// 10.4).
    public var honoursIf = false
    /// Whether exactly one of two `MOVE`s with `Overwrite: F` to one place succeeds.
    public var movesExclusively = false
    /// Whether readers see either the old or the new file while a `PUT` replaces it, and a `PUT` that breaks off
    /// changes nothing.
    public var putsWhole = false
    /// Whether a read during a replacement gets one complete version; Apache sends as many bytes of the new file as the
    /// old one had.
    public var readsWhole = false
    /// How reliable its locks are.
    public var locks = Locks.shaky
    /// When writes take a lock.
    public var lockUse = LockUse.conditional
    /// Whether a file keeps its entry tag when it is moved.
    public var movesKeepTags = false
    /// Whether listings have entry tags.
    public var listsEntryTags = true
    /// Whether the tag of a folder changes with everything below it.
    public var hasTreeTags = false
    /// Whether the server compares an upload with the hash in its `OC-Checksum`.
    public var takesChecksums = false
    /// How modification times are set.
    public var timeSetting = TimeSetting.none
    /// Whether the size of a file on the server is that of the upload; SharePoint writes into documents.
    public var keepsSizes = true
    /// Whether the part of a broken upload may appear after it was removed.
    public var partsAppearLate = false
    /// Whether a `MOVE` with `Overwrite: F` puts a file in the place of a folder, or into it.
    public var movesOntoFolders = false
    /// Whether names may be bytes that are not UTF-8.
    public var keepsRawNames = true
    /// Whether listings leave out names with a leading dot.
    public var hidesDotNames = false
    /// Whether the server, or a proxy in front of it, refuses `MOVE` (405, 501, or 502 for any `Destination`). An
    /// upload then goes to its final name, after the same bytes were seen under a temporary name.
    public var refusesMoves = false
    /// Bytes that must not be in the path of a folder, because nothing could be moved into it.
    public var misreadFolders: [UInt8] = []
    /// Bytes that the server misreads in the path of a `Destination`, besides ``misreadFolders``.
    public var misreadDestinations: [UInt8] = []
    /// Bytes that the server misreads in the last name of a `Destination`.
    public var misreadNames: [UInt8] = []
    /// The size in bytes of the chunks of a large upload, as Nextcloud takes them; nil for uploads in one piece.
    public var chunkSize: Int64?
    /// Whether `SEARCH` accepts a basic search (RFC 5323), as the `DASL` header of `OPTIONS` says.
    public var searches = false

    /// Creates the values of a vendor.
    public init(_ vendor: Vendor) {
        self.vendor = vendor
        switch vendor {
        case .apache:
            (ifNoneMatch, ifMatch, honoursIf, putsWhole) = (.looked, .looked, true, true)
        case .nginx:
            (putsWhole, readsWhole, locks, listsEntryTags, timeSetting) = (true, true, .exclusive, false, .date)
            hidesDotNames = true
        case .lighttpd:
            (ifNoneMatch, ifMatch, movesExclusively, putsWhole, movesKeepTags) = (
                .exclusive, .exclusive, true, true, true
            )
            readsWhole = true
            (movesOntoFolders, keepsRawNames, misreadDestinations) = (true, false, Array(0..<0x20) + [0x7F])
        case .wsgidav:
            // Its `If-Match` makes a file where there is none.
            // The tag that it answers a `PUT` with is of the file before its last bytes.
            (ifNoneMatch, partsAppearLate, keepsRawNames) = (.looked, true, false)
            // It decodes a destination before it takes it apart.
            (misreadFolders, misreadNames) = (Array("\t\n\r?".utf8), Array(";".utf8))
        case .rclone:
            (movesExclusively, locks, movesKeepTags, partsAppearLate) = (true, .exclusive, true, true)
        case .nextcloud, .owncloud:
            (ifNoneMatch, ifMatch, honoursIf, putsWhole) = (.looked, .looked, true, true)
            (locks, hasTreeTags, takesChecksums, timeSetting) = (.none, true, true, .ocMtime)
            // Nextcloud has the line at the root of its WebDAV alone.
            if vendor == .nextcloud { (chunkSize, searches) = (10 << 20, true) }
        case .sharepoint:
            keepsSizes = false
        case .other:
            break
        }
    }
}

extension WebDAVQuirks {
    /// Decodes a value; keys that are missing have the vendor's value, so documents of older versions can be read.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(try container.decode(Vendor.self, forKey: .vendor))
        func take<Value: Decodable>(_ value: inout Value, _ key: CodingKeys) throws {
            value = try container.decodeIfPresent(Value.self, forKey: key) ?? value
        }
        try take(&ifNoneMatch, .ifNoneMatch)
        try take(&ifMatch, .ifMatch)
        try take(&honoursIf, .honoursIf)
        try take(&movesExclusively, .movesExclusively)
        try take(&putsWhole, .putsWhole)
        try take(&readsWhole, .readsWhole)
        try take(&locks, .locks)
        try take(&lockUse, .lockUse)
        try take(&movesKeepTags, .movesKeepTags)
        try take(&listsEntryTags, .listsEntryTags)
        try take(&hasTreeTags, .hasTreeTags)
        try take(&takesChecksums, .takesChecksums)
        try take(&timeSetting, .timeSetting)
        try take(&keepsSizes, .keepsSizes)
        try take(&partsAppearLate, .partsAppearLate)
        try take(&searches, .searches)
        try take(&movesOntoFolders, .movesOntoFolders)
        try take(&keepsRawNames, .keepsRawNames)
        try take(&hidesDotNames, .hidesDotNames)
        try take(&refusesMoves, .refusesMoves)
        try take(&misreadFolders, .misreadFolders)
        try take(&misreadDestinations, .misreadDestinations)
        try take(&misreadNames, .misreadNames)
        if container.contains(.chunkSize) { chunkSize = try container.decode(Int64?.self, forKey: .chunkSize) }
    }

    /// Encodes every value, also a `chunkSize` of nil.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(vendor, forKey: .vendor)
        try container.encode(ifNoneMatch, forKey: .ifNoneMatch)
        try container.encode(ifMatch, forKey: .ifMatch)
        try container.encode(honoursIf, forKey: .honoursIf)
        try container.encode(movesExclusively, forKey: .movesExclusively)
        try container.encode(putsWhole, forKey: .putsWhole)
        try container.encode(readsWhole, forKey: .readsWhole)
        try container.encode(locks, forKey: .locks)
        try container.encode(lockUse, forKey: .lockUse)
        try container.encode(movesKeepTags, forKey: .movesKeepTags)
        try container.encode(listsEntryTags, forKey: .listsEntryTags)
        try container.encode(hasTreeTags, forKey: .hasTreeTags)
        try container.encode(takesChecksums, forKey: .takesChecksums)
        try container.encode(timeSetting, forKey: .timeSetting)
        try container.encode(keepsSizes, forKey: .keepsSizes)
        try container.encode(partsAppearLate, forKey: .partsAppearLate)
        try container.encode(movesOntoFolders, forKey: .movesOntoFolders)
        try container.encode(keepsRawNames, forKey: .keepsRawNames)
        try container.encode(hidesDotNames, forKey: .hidesDotNames)
        try container.encode(refusesMoves, forKey: .refusesMoves)
        try container.encode(misreadFolders, forKey: .misreadFolders)
        try container.encode(misreadDestinations, forKey: .misreadDestinations)
        try container.encode(misreadNames, forKey: .misreadNames)
        try container.encode(chunkSize, forKey: .chunkSize)
        try container.encode(searches, forKey: .searches)
    }

    private enum CodingKeys: String, CodingKey {
        case vendor, ifNoneMatch, ifMatch, honoursIf, movesExclusively, putsWhole, readsWhole, locks, lockUse,
            movesKeepTags
        case listsEntryTags, hasTreeTags, takesChecksums, timeSetting, keepsSizes, partsAppearLate, movesOntoFolders,
            keepsRawNames,
            hidesDotNames
        case refusesMoves, misreadFolders, misreadDestinations, misreadNames
        case chunkSize, searches
    }

    /// Whether one `PUT` with `If-Match` does all that a write with `ifMatch` has to.
    var putsConditionally: Bool { ifMatch == .exclusive && putsWhole }

    /// Whether a write with `ifMatch` takes a lock.
    var locksConditionalWrites: Bool { locks == .exclusive && lockUse != .never && !putsConditionally }

    /// Whether a write that may replace nothing takes a lock.
    var locksNewFiles: Bool { locks == .exclusive && lockUse == .always && !movesExclusively }

    /// Adds the abilities of this server to those of every WebDAV server.
    func enter(into capabilities: inout Capabilities) {
        capabilities[.atomicReplacement] =
            putsWhole && readsWhole ? .native : refusesMoves && !putsWhole ? .unavailable : .derived
        if refusesMoves { capabilities[.moving] = .unavailable }
        capabilities[.exclusiveCreation] = movesExclusively || locksNewFiles ? .native : .derived
        capabilities[.conditionalWriting] = putsConditionally || locksConditionalWrites ? .native : .derived
        capabilities[.entryTags] = listsEntryTags ? .native : .unavailable
        capabilities.listsEveryName = !hidesDotNames
        capabilities[.rawNames] = keepsRawNames ? .native : .unavailable
        capabilities[.treeTags] = hasTreeTags ? .native : .unavailable
        capabilities[.settingModificationDate] = timeSetting == .none ? .unavailable : .native
    }
}

extension WebDAVQuirks {
    /// Reads the answer to an `OPTIONS`.
    init(_ head: ResponseHead) {
        self.init(Vendor(head))
        if head.joined("DASL")?.contains("DAV:basicsearch") == true { searches = true }
    }
}

extension WebDAVQuirks.Vendor {
    /// Recognises the vendor by the answer to an `OPTIONS`.
    ///
    /// `Server` names only the program in front, which may hide any other; the features in `DAV` show which one
    /// answers. nginx itself names one feature and no `MS-Author-Via`; lighttpd names the third.
    init(_ head: ResponseHead) {
        let server = head["Server"]?.lowercased() ?? ""
        let features =
            head.joined("DAV")?.lowercased().split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) } ?? []
        let isPlain = features.allSatisfy { ["1", "2", "3"].contains($0) } && head["X-Powered-By"] == nil
        self =
            if features.contains(where: { $0.contains("nextcloud") }) || head["X-Nextcloud-Version"] != nil {
                .nextcloud
            } else if features.contains(where: { $0.contains("owncloud") || $0.hasPrefix("oc-") }) {
                .owncloud
            } else if head["MicrosoftSharePointTeamServices"] != nil {
                .sharepoint
            } else if features.contains(where: { $0.contains("apache.org/dav") }) {
                .apache
            } else if isPlain, server.hasPrefix("rclone") || head.isOfGo {
                .rclone
            } else if isPlain, server.hasPrefix("nginx"), features.count == 1, head["MS-Author-Via"] == nil {
                .nginx
            } else if isPlain, server.hasPrefix("lighttpd"), features.contains("3") {
                .lighttpd
            } else if server.contains("wsgidav") || server.hasPrefix("cheroot") && head["MS-Author-Via"] == "DAV" {
                .wsgidav
            } else {
                .other
            }
    }
}

extension ResponseHead {
    /// Whether Go's WebDAV package answers, which gives itself no name but has its own order of methods; a proxy may
    /// name itself.
    fileprivate var isOfGo: Bool {
        self["MS-Author-Via"] == "DAV" && self["Allow"]?.hasPrefix("OPTIONS, LOCK, ") == true
    }
}
