extension SFTPRequest {
    private static func extended(_ name: SFTPExtension, _ fill: (inout SFTPWriter) -> Void) -> SFTPRequest {
        SFTPRequest(.extended) {
            $0.put(string: name.rawValue.utf8)
            fill(&$0)
        }
    }

    /// rename(2): replaces a file in one step.
    package static func posixRename(_ path: [UInt8], to destination: [UInt8]) -> SFTPRequest {
        extended(.posixRename) {
            $0.put(string: path)
            $0.put(string: destination)
        }
    }

    /// link(2): fails if `link` exists.
    package static func hardlink(_ path: [UInt8], as link: [UInt8]) -> SFTPRequest {
        extended(.hardlink) {
            $0.put(string: path)
            $0.put(string: link)
        }
    }

    /// fsync(2).
    package static func fsync(_ handle: SFTPHandle) -> SFTPRequest { extended(.fsync) { $0.put(string: handle.bytes) } }

    /// Attributes of a link itself.
    package static func lsetstat(_ path: [UInt8], _ attributes: SFTPAttributes) -> SFTPRequest {
        extended(.lsetstat) {
            $0.put(string: path)
            attributes.put(into: &$0)
        }
    }

    /// statvfs(3); answered by ``SFTPVolume``.
    package static func statvfs(_ path: [UInt8]) -> SFTPRequest { extended(.statvfs) { $0.put(string: path) } }

    /// Answered by ``SFTPLimits``.
    static var limits: SFTPRequest { extended(.limits) { _ in } }

    /// Expands `~` and `~user` at the start of a path; answered by one name.
    package static func expandPath(_ path: [UInt8]) -> SFTPRequest { extended(.expandPath) { $0.put(string: path) } }

    /// The home folder of a user, of the logged-in one if the name is empty; answered by one name.
    package static func homeDirectory(of user: [UInt8] = []) -> SFTPRequest {
        extended(.homeDirectory) { $0.put(string: user) }
    }

    /// Copies on the server, from one open file to another.
    ///
    /// - Parameter count: The number of bytes; 0 for all of them.
    package static func copyData(
        from source: SFTPHandle, at offset: UInt64, count: UInt64, to target: SFTPHandle, at targetOffset: UInt64
    ) -> SFTPRequest {
        extended(.copyData) {
            $0.put(string: source.bytes)
            $0.put(offset)
            $0.put(count)
            $0.put(string: target.bytes)
            $0.put(targetOffset)
        }
    }

    /// The names of users and groups; answered by ``SFTPOwners``.
    package static func usersGroups(users: [UInt32], groups: [UInt32]) -> SFTPRequest {
        func list(_ numbers: [UInt32]) -> [UInt8] {
            var writer = SFTPWriter()
            for number in numbers { writer.put(number) }
            return writer.bytes
        }
        return extended(.usersGroups) {
            $0.put(string: list(users))
            $0.put(string: list(groups))
        }
    }
}
