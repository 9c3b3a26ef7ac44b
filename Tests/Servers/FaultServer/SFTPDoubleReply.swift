import Foundation

/// What the server answers, and how it becomes bytes, faults included.
enum SFTPDoubleReply: Sendable {
    case version([(name: String, version: String)])
    /// Without a text its two strings are left out.
    case status(SFTPDouble.Code, String?)
    case handle([UInt8])
    case data([UInt8])
    case names([Name])
    case attributes(SFTPTree.Node)
    case extended([UInt8])

    struct Name: Sendable {
        var name: [UInt8]
        /// Without one, as in the replies to REALPATH and READLINK, the attributes have no flags.
        var node: SFTPTree.Node?
    }

    static func status(_ code: SFTPDouble.Code) -> SFTPDoubleReply { .status(code, code.text) }

    private var type: SFTPDouble.Kind {
        switch self {
        case .version: .version
        case .status: .status
        case .handle: .handle
        case .data: .data
        case .names: .name
        case .attributes: .attributes
        case .extended: .extendedReply
        }
    }

    /// Where in what follows the id the first string's length is.
    private var firstString: Int {
        switch self {
        case .status, .names: 4
        default: 0
        }
    }

    /// The whole packet. VERSION has no id: its version stands there.
    func packet(id: UInt32, faults: [SFTPDouble.Fault], attributeMask: UInt32) -> [UInt8] {
        var body = self.body(faults, attributeMask)
        var type = self.type.rawValue
        var id = id
        if case .version = self { id = 3 }
        var length: UInt32?
        for fault in faults {
            switch fault {
            case .id(let other), .version(let other): id = other
            case .type(let other): type = other
            case .length(let other): length = other
            case .stringLength(let other):
                let start = firstString
                if body.count >= start + 4 { body.replaceSubrange(start..<(start + 4), with: [UInt8].sftp(other)) }
            default: continue
            }
        }
        return Self.packet(type: type, id: id, body, length: length)
    }

    static func packet(type: UInt8, id: UInt32, _ body: [UInt8], length: UInt32? = nil) -> [UInt8] {
        var packet: [UInt8] = []
        packet.reserveCapacity(9 + body.count)
        packet.putSFTP(length ?? UInt32(truncatingIfNeeded: 5 + body.count))
        packet.append(type)
        packet.putSFTP(id)
        return packet + body
    }

    private func body(_ faults: [SFTPDouble.Fault], _ attributeMask: UInt32) -> [UInt8] {
        var body: [UInt8] = []
        switch self {
        case .version(let extensions):
            for (name, version) in extensions {
                body.putSFTP(name.utf8)
                body.putSFTP(version.utf8)
            }
        case .status(let code, let text):
            body.putSFTP(code.rawValue)
            if let text {
                body.putSFTP(text.utf8)
                body.putSFTP("".utf8)
            }
        case .handle(let bytes), .data(let bytes): body.putSFTP(bytes)
        case .names(let names):
            var count = UInt32(truncatingIfNeeded: names.count)
            for case .nameCount(let other) in faults { count = other }
            body.putSFTP(count)
            for name in names {
                body.putSFTP(name.name)
                body.putSFTP(name.node.map { Self.longName(name.name, $0) } ?? name.name)
                body += Self.attributes(name.node, faults, attributeMask)
            }
        case .attributes(let node): body = Self.attributes(node, faults, attributeMask)
        case .extended(let bytes): body = bytes
        }
        return body
    }

    private static func attributes(_ node: SFTPTree.Node?, _ faults: [SFTPDouble.Fault], _ attributeMask: UInt32)
        -> [UInt8]
    {
        for case .attributes(let data) in faults { return Array(data) }
        var bytes: [UInt8] = []
        guard let node else { return .sftp(0) }
        bytes.putSFTP(attributeMask & 15)
        if attributeMask & 1 != 0 { bytes.putSFTP(UInt64(node.size)) }
        if attributeMask & 2 != 0 {
            bytes.putSFTP(node.user)
            bytes.putSFTP(node.group)
        }
        if attributeMask & 4 != 0 { bytes.putSFTP(node.kind.rawValue | node.mode) }
        if attributeMask & 8 != 0 {
            bytes.putSFTP(node.accessed)
            bytes.putSFTP(node.modified)
        }
        return bytes
    }

    /// A line as of `ls -ln`.
    private static func longName(_ name: [UInt8], _ node: SFTPTree.Node) -> [UInt8] {
        var mode = ["-", "d", "l"][[.file, .folder, .link].firstIndex(of: node.kind) ?? 0]
        for bit in (0..<9).reversed() { mode += node.mode >> UInt32(bit) & 1 == 0 ? "-" : ["x", "w", "r"][bit % 3] }
        let date = Date(timeIntervalSince1970: Double(node.modified))
        let isOld = abs(date.timeIntervalSinceNow) > 182 * 86_400
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        let size = String(repeating: " ", count: max(0, 8 - "\(node.size)".count)) + "\(node.size)"
        let line =
            "\(mode)    \(node.links) \(padded("\(node.user)", 8)) \(padded("\(node.group)", 8)) \(size) "
            + FTPDate.text(date, isOld ? "%b %e  %Y" : "%b %e %H:%M") + " "
        return Array(line.utf8) + name
    }
}

extension [UInt8] {
    static func sftp(_ number: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.putSFTP(number)
        return bytes
    }
}
