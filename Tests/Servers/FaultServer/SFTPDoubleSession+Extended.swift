import Foundation

/// Source: `PROTOCOL` of OpenSSH, sections 4.3 to 4.12.
extension SFTPDoubleSession {
    func performExtended(_ call: SFTPDoubleCall, state: inout SFTPDouble.State) throws -> SFTPDoubleReply {
        let request = call.request
        guard settings.extensions.contains(where: { $0.name == request.name }) else { return .status(.unsupported) }
        switch request.name {
        case "posix-rename@openssh.com":
            let source = try state.tree.locate(request.bytes, follow: false)
            try state.tree.rename(source, to: try state.tree.locate(request.other, follow: false))
        case "hardlink@openssh.com" where settings.isCareless: break
        case "hardlink@openssh.com":
            let id = try state.tree.find(request.bytes, follow: false)
            guard state.tree.nodes[id]?.kind != .folder else { throw POSIXError(.EPERM) }
            try state.tree.link(id, at: try state.tree.locate(request.other, follow: false))
        case "statvfs@openssh.com" where settings.isCareless: return .status(.unsupported)
        case "statvfs@openssh.com":
            _ = try state.tree.find(request.bytes)
            return volume()
        case "fstatvfs@openssh.com":
            _ = try handle(request.handle)
            return volume()
        case "fsync@openssh.com":
            guard try handle(request.handle).entries == nil else { throw POSIXError(.EBADF) }
        case "lsetstat@openssh.com":
            try change(try state.tree.find(request.bytes, follow: false), call.attributes, &state)
        case "limits@openssh.com":
            var body: [UInt8] = []
            for number in [
                settings.maximumPacket, settings.maximumRead, settings.maximumWrite, settings.maximumHandles,
            ] {
                body.putSFTP(UInt64(number))
            }
            return .extended(body)
        case "expand-path@openssh.com": return try expand(request.bytes, state)
        case "home-directory":
            guard request.bytes.isEmpty || request.bytes == Array(settings.user.utf8) else { throw POSIXError(.ENOENT) }
            return .names([SFTPDoubleReply.Name(name: Array(settings.home.utf8), node: nil)])
        case "copy-data": return try copy(call, &state)
        case "users-groups-by-id@openssh.com":
            var body: [UInt8] = []
            for (numbers, names) in [(call.numbers.users, settings.users), (call.numbers.groups, settings.groups)] {
                var list: [UInt8] = []
                for number in numbers { list.putSFTP((names[number] ?? "").utf8) }
                body.putSFTP(list)
            }
            return .extended(body)
        default: return .status(.unsupported)
        }
        return .status(.ok)
    }

    /// Blocks of 4 KiB, and a million nodes.
    private func volume() -> SFTPDoubleReply {
        let free = settings.space.free / 4_096
        var body: [UInt8] = []
        for number in [4_096, 4_096, settings.space.total / 4_096, free, free, 1_000_000, 500_000, 500_000, 1, 0, 255]
            as [UInt64]
        {
            body.putSFTP(number)
        }
        return .extended(body)
    }

    private func expand(_ path: [UInt8], _ state: SFTPDouble.State) throws -> SFTPDoubleReply {
        var path = path
        if path.first == UInt8(ascii: "~") {
            let user = path.dropFirst().prefix { $0 != SFTPTree.slash }
            guard user.isEmpty || Array(user) == Array(settings.user.utf8) else { throw POSIXError(.ENOENT) }
            path = Array(settings.home.utf8) + path.dropFirst(1 + user.count)
        }
        return .names([SFTPDoubleReply.Name(name: try state.tree.realPath(path), node: nil)])
    }

    private func copy(_ call: SFTPDoubleCall, _ state: inout SFTPDouble.State) throws -> SFTPDoubleReply {
        let source = try handle(call.request.handle)
        let target = try handle(call.target.handle)
        guard source.node != target.node, source.entries == nil, target.entries == nil else { return .status(.failure) }
        guard source.flags.contains(.read), target.flags.contains(.write) else { throw POSIXError(.EBADF) }
        guard call.request.offset <= 1 << 50, call.target.offset <= 1 << 50 else { throw POSIXError(.EINVAL) }
        let size = state.tree.nodes[source.node]?.content.size ?? 0
        let start = Int(call.request.offset)
        let end = call.count == 0 ? size : min(size, start + Int(clamping: min(call.count, 1 << 50)))
        var position = start
        while position < end {
            let bytes =
                state.tree.nodes[source.node]?.content.read(at: position, count: min(1 << 20, end - position)) ?? []
            if bytes.isEmpty { break }
            state.tree.nodes[target.node]?.content.write(bytes, at: Int(call.target.offset) + position - start)
            position += bytes.count
        }
        state.tree.nodes[target.node]?.modified = SFTPTree.now
        let isWhole = call.count == 0 || UInt64(max(0, position - start)) == call.count
        return .status(isWhole ? .ok : .endOfFile)
    }
}
