import Foundation

extension SFTPDoubleSession {
    // MARK: Folders

    func performOnFolder(_ call: SFTPDoubleCall, state: inout SFTPDouble.State) throws -> SFTPDoubleReply {
        let path = call.request.bytes
        switch call.request.kind {
        case .opendir: return try openFolder(path, &state)
        case .readdir: return try entries(call, &state)
        case .mkdir:
            let mode = (call.attributes.permissions ?? 0o777) & 0o7777 & ~settings.umask
            let location = try state.tree.locate(path, follow: false)
            let isThere = location.id.map { state.tree.nodes[$0]?.kind == .folder } ?? false
            if settings.makesFoldersAgain, isThere { return .status(.ok) }
            _ = try state.tree.add(SFTPTree.Node(kind: .folder, mode: mode), at: location)
        default:
            let location = try state.tree.locate(path, follow: false)
            if settings.isCareless { return try removeCarelessly(location, state: &state) }
            guard let id = location.id else { throw POSIXError(.ENOENT) }
            guard state.tree.nodes[id]?.kind == .folder else { throw POSIXError(.ENOTDIR) }
            guard state.tree.nodes[id]?.children.isEmpty == true else { throw POSIXError(.ENOTEMPTY) }
            try state.tree.unlink(location)
        }
        return .status(.ok)
    }

    private func openFolder(_ path: [UInt8], _ state: inout SFTPDouble.State) throws -> SFTPDoubleReply {
        let id = try state.tree.find(path)
        guard let node = state.tree.nodes[id], node.kind == .folder else { throw POSIXError(.ENOTDIR) }
        try state.tree.check(id, 4)
        var entries = node.children.map { (name: $0.key, id: $0.value) }
        entries.sort { $0.name.lexicographicallyPrecedes($1.name) }
        if settings.listsDots { entries = [(Array(".".utf8), id), (Array("..".utf8), node.parent)] + entries }
        return try enter(Handle(node: id, path: path, entries: entries[...]), &state)
    }

    private func entries(_ call: SFTPDoubleCall, _ state: inout SFTPDouble.State) throws -> SFTPDoubleReply {
        let handle = try handle(call.request.handle)
        guard let entries = handle.entries else {
            complain("READDIR of a file.")
            throw SFTPDoubleRefusal(code: .failure, text: SFTPDouble.Code.failure.text)
        }
        for case .endless in call.faults {
            let names = (endlessNames..<(endlessNames + settings.entriesPerReply)).map { Array("endless-\($0)".utf8) }
            endlessNames += names.count
            return .names(names.map { SFTPDoubleReply.Name(name: $0, node: SFTPTree.Node(kind: .file, mode: 0o644)) })
        }
        let page = entries.prefix(settings.entriesPerReply)
        handles[call.request.handle]?.entries = entries.dropFirst(page.count)
        let names = page.compactMap { name, id in
            state.tree.nodes[id].map { SFTPDoubleReply.Name(name: name, node: $0) }
        }
        return page.isEmpty ? .status(.endOfFile) : .names(names)
    }

    private func removeCarelessly(_ location: SFTPTree.Location, state: inout SFTPDouble.State) throws
        -> SFTPDoubleReply
    {
        guard let id = location.id else { return .status(.ok) }
        guard state.tree.nodes[id]?.children.isEmpty == true else { throw POSIXError(.ENOTEMPTY) }
        try state.tree.unlink(location)
        return .status(.ok)
    }

    // MARK: Paths

    func performOnPath(_ call: SFTPDoubleCall, state: inout SFTPDouble.State) throws -> SFTPDoubleReply {
        let path = call.request.bytes
        switch call.request.kind {
        case .stat, .lstat: return .attributes(try node(path, follows: call.request.kind == .stat, state))
        case .setstat: try change(try state.tree.find(path), call.attributes, &state)
        case .remove:
            let location = try state.tree.locate(path, follow: false)
            guard let id = location.id else { throw POSIXError(.ENOENT) }
            if settings.isCareless { return try removeCarelessly(location, state: &state) }
            guard state.tree.nodes[id]?.kind != .folder else { throw POSIXError(.EISDIR) }
            try state.tree.unlink(location)
        case .realpath: return .names([SFTPDoubleReply.Name(name: try state.tree.realPath(path), node: nil)])
        case .rename:
            let source = try state.tree.locate(path, follow: false)
            guard source.id != nil else { throw POSIXError(.ENOENT) }
            let target = try state.tree.locate(call.request.other, follow: false)
            if target.id != nil, !settings.renameReplaces { throw POSIXError(.EEXIST) }
            try state.tree.rename(source, to: target)
        case .readlink where settings.isCareless, .symlink where settings.isCareless: return .status(.unsupported)
        case .readlink:
            let node = state.tree.nodes[try state.tree.find(path, follow: false)]
            guard let node, node.kind == .link else { throw POSIXError(.EINVAL) }
            return .names([SFTPDoubleReply.Name(name: node.target, node: nil)])
        case .symlink:
            let (target, link) =
                settings.symlinkTakesLinkFirst ? (call.request.other, path) : (path, call.request.other)
            let location = try state.tree.locate(link, follow: false)
            _ = try state.tree.add(SFTPTree.Node(kind: .link, mode: 0o777, target: target), at: location)
        default: return .status(.unsupported)
        }
        return .status(.ok)
    }

    private func node(_ path: [UInt8], follows: Bool, _ state: SFTPDouble.State) throws -> SFTPTree.Node {
        let id = try state.tree.find(path, follow: follows)
        guard let node = state.tree.nodes[id] else { throw POSIXError(.EIO) }
        // A link that leads nowhere is shown all the same.
        if !follows, settings.lstatFollows, node.kind == .link, let target = try? state.tree.find(path) {
            return state.tree.nodes[target] ?? node
        }
        return node
    }
}
