import FileProviderCore
import Foundation

/// A file system that is mounted somewhere on this machine. Source: proc(5), `/proc/self/mountinfo`.
struct LocalMount {
    /// The mount's number, unique while it is mounted.
    let identifier: Int
    /// Device numbers, such as `8:1`; two mounts of one file system have the same.
    let device: String
    /// The mount point, counted from the machine's root.
    let point: ProviderPath
    /// The kind of file system, such as `ext4`.
    let type: String

    /// Returns all mounts, in the order in which they were mounted; nil if /proc does not say.
    static func all() -> [LocalMount]? { lines(of: "/proc/self/mountinfo")?.compactMap(LocalMount.init) }

    /// Finds the mount in `mounts` that holds an open file; nil if /proc does not say.
    init?(holding file: FileDescriptor, of mounts: [LocalMount]?) {
        guard let information = Self.lines(of: "/proc/self/fdinfo/\(file.raw)"),
            let number = information.first(where: { $0.starts(with: Array("mnt_id:".utf8)) })?.dropFirst(7),
            let identifier = Int(String(decoding: number, as: UTF8.self).trimmingCharacters(in: .whitespaces)),
            let mount = mounts?.first(where: { $0.identifier == identifier })
        else { return nil }
        self = mount
    }

    /// Reads a line: number, parent, device, root, mount point, options, any number of others, a hyphen, type and more.
    init?(line: some Collection<UInt8>) {
        let fields = line.split(separator: UInt8(ascii: " "))
        guard fields.count > 5, let identifier = Int(String(decoding: fields[0], as: UTF8.self)),
            let point = try? ProviderPath(bytes: Self.unescaped(fields[4])),
            let end = fields[6...].firstIndex(where: { $0.elementsEqual([UInt8(ascii: "-")]) }), end + 1 < fields.count
        else { return nil }
        self.identifier = identifier
        device = String(decoding: fields[2], as: UTF8.self)
        self.point = point
        type = String(decoding: fields[end + 1], as: UTF8.self)
    }

    /// Whether a look at the mount point would mount a file system there first.
    var isMountedOnAccess: Bool { type == "autofs" }

    /// Opens the mounted folder; nil if it cannot be reached, may not be read, or is no folder.
    func open() -> FileDescriptor? {
        let raw = ([UInt8(ascii: "/")] + point.bytes).withName { openat(AT_FDCWD, $0, LocalFlags.names) }
        return raw < 0 ? nil : FileDescriptor(owning: raw)
    }

    /// Decodes space, tab, line feed and backslash, which are written as a backslash with three octal digits.
    private static func unescaped(_ text: some Collection<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), let code = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8) {
                result.append(code)
                rest = rest.dropFirst(3)
            } else {
                result.append(byte)
            }
        }
        return result
    }

    private static func lines(of path: String) -> [ArraySlice<UInt8>]? {
        guard let file = try? FileDescriptor(path: path, flags: O_RDONLY) else { return nil }
        let buffer = TransferBuffer(count: LocalReader.piece)
        var bytes: [UInt8] = []
        // No table that a person has set up is longer.
        while bytes.count <= 16 << 20,
            let count = try? file.read(into: buffer.bytes, at: Int64(bytes.count), path: .root)
        {
            if count == 0 { return bytes.split(separator: UInt8(ascii: "\n")) }
            bytes += buffer.first(count)
        }
        return nil
    }
}
