import FileProviderCore
import Foundation

/// A failure that is told with a text of its own.
struct SFTPDoubleRefusal: Error {
    var code: SFTPDouble.Code
    var text: String
}

extension SFTPDoubleSession {
    func perform(_ call: SFTPDoubleCall) -> SFTPDoubleReply {
        do {
            return try double.state.update { try perform(call, &$0) }
        } catch let error as POSIXError {
            return .status(Self.code(error.code))
        } catch let refusal as SFTPDoubleRefusal {
            return .status(refusal.code, refusal.text)
        } catch {
            return .status(.failure)
        }
    }

    /// As sftp-server(8) tells the kernel's errors.
    private static func code(_ error: POSIXErrorCode) -> SFTPDouble.Code {
        switch error {
        case .ENOENT, .ENOTDIR, .EBADF, .ELOOP: .noSuchFile
        case .EPERM, .EACCES, .EFAULT: .permissionDenied
        case .ENAMETOOLONG, .EINVAL: .badMessage
        case .ENOSYS: .unsupported
        default: .failure
        }
    }

    private func perform(_ call: SFTPDoubleCall, _ state: inout SFTPDouble.State) throws -> SFTPDoubleReply {
        let request = call.request
        switch request.kind {
        case .initialize: return .version(settings.extensions)
        case .open: return try open(call, &state)
        case .close:
            guard let handle = handles.removeValue(forKey: request.handle) else { throw POSIXError(.ENOENT) }
            release(handle, state: &state)
        case .read: return try read(call, &state)
        case .write: try write(call, &state)
        case .fstat:
            guard let node = state.tree.nodes[try handle(request).node] else { throw POSIXError(.EIO) }
            return .attributes(node)
        case .fsetstat: try change(try handle(request).node, call.attributes, &state)
        case .extended: return try performExtended(call, state: &state)
        case .opendir, .readdir, .mkdir, .rmdir: return try performOnFolder(call, state: &state)
        default: return try performOnPath(call, state: &state)
        }
        return .status(.ok)
    }

    private func handle(_ request: SFTPDouble.Request) throws -> Handle { try handle(request.handle) }

    func handle(_ bytes: [UInt8]) throws -> Handle {
        guard let handle = handles[bytes] else {
            throw SFTPDoubleRefusal(code: .failure, text: SFTPDouble.Code.failure.text)
        }
        return handle
    }

    /// Makes a handle.
    func enter(_ handle: Handle, _ state: inout SFTPDouble.State) throws -> SFTPDoubleReply {
        guard handles.count < settings.maximumHandles else {
            throw SFTPDoubleRefusal(code: settings.handleRefusal.code, text: settings.handleRefusal.text)
        }
        lastHandle += 1
        let bytes = [UInt8](repeating: 0xFF, count: max(0, settings.handleLength - 4)) + [UInt8].sftp(lastHandle)
        handles[bytes] = handle
        state.tree.nodes[handle.node]?.handles += 1
        state.counts.openHandles += 1
        state.counts.peakHandles = max(state.counts.peakHandles, state.counts.openHandles)
        return .handle(bytes)
    }

    // MARK: Open files

    private func open(_ call: SFTPDoubleCall, _ state: inout SFTPDouble.State) throws -> SFTPDoubleReply {
        var flags = call.request.flags
        if settings.isCareless, flags.contains(.write) {
            flags.remove(.exclusive)
            flags.formUnion([.create, .truncate])
        }
        guard handles.count < settings.maximumHandles else {
            throw SFTPDoubleRefusal(code: settings.handleRefusal.code, text: settings.handleRefusal.text)
        }
        // Exclusive creation does not follow a link at the end, as open(2) has it.
        let location = try state.tree.locate(call.request.bytes, follow: !flags.isSuperset(of: [.create, .exclusive]))
        let id: Int
        if let there = location.id {
            if flags.isSuperset(of: [.create, .exclusive]) { throw POSIXError(.EEXIST) }
            let isFolder = state.tree.nodes[there]?.kind == .folder
            if isFolder, !flags.isDisjoint(with: [.write, .create]) { throw POSIXError(.EISDIR) }
            if flags.contains(.read) { try state.tree.check(there, 4) }
            if flags.contains(.write) { try state.tree.check(there, 2) }
            if flags.contains(.truncate), flags.contains(.write) {
                state.tree.nodes[there]?.content.truncate(to: 0)
                state.tree.nodes[there]?.modified = SFTPTree.now
            }
            id = there
        } else {
            guard flags.contains(.create) else { throw POSIXError(.ENOENT) }
            let mode = (call.attributes.permissions ?? 0o666) & 0o7777 & ~settings.umask
            id = try state.tree.add(SFTPTree.Node(kind: .file, mode: mode), at: location)
        }
        return try enter(Handle(node: id, path: call.request.bytes, flags: flags), &state)
    }

    private func read(_ call: SFTPDoubleCall, _ state: inout SFTPDouble.State) throws -> SFTPDoubleReply {
        let handle = try handle(call.request)
        guard let node = state.tree.nodes[handle.node], handle.entries == nil else { throw POSIXError(.EISDIR) }
        guard node.kind == .file else { throw POSIXError(.EISDIR) }
        guard handle.flags.contains(.read) else { throw POSIXError(.EBADF) }
        guard call.request.offset <= UInt64(Int64.max) else { throw POSIXError(.EINVAL) }
        let offset = Int(call.request.offset)
        var count = min(call.request.length, settings.maximumRead)
        for fault in call.faults {
            switch fault {
            case .shortRead(let limit): count = min(count, limit)
            case .endOfFile(let end): count = min(count, max(0, Int(clamping: end) - offset))
            default: continue
            }
        }
        var data = node.content.read(at: offset, count: count)
        for case .longRead(let more) in call.faults { data += [UInt8](repeating: 0x2B, count: more) }
        if data.isEmpty { return .status(.endOfFile) }
        state.counts.bytesRead += data.count
        return .data(data)
    }

    private func write(_ call: SFTPDoubleCall, _ state: inout SFTPDouble.State) throws {
        let handle = try handle(call.request)
        guard handle.flags.contains(.write) else {
            complain("WRITE to a handle that was not opened to write.")
            throw POSIXError(.EBADF)
        }
        guard call.request.offset <= 1 << 50 else { throw POSIXError(.EFBIG) }
        let isAtEnd = handle.flags.contains(.append)
        let offset = isAtEnd ? state.tree.nodes[handle.node]?.content.size ?? 0 : Int(call.request.offset)
        state.tree.nodes[handle.node]?.content.write(call.data, at: offset)
        state.tree.nodes[handle.node]?.modified = SFTPTree.now
        state.counts.bytesWritten += call.data.count
    }

    // MARK: Attributes

    func change(_ id: Int, _ attributes: SFTPDoubleAttributes, _ state: inout SFTPDouble.State) throws {
        if let size = attributes.size {
            guard state.tree.nodes[id]?.kind == .file else { throw POSIXError(.EISDIR) }
            guard size <= 1 << 50 else { throw POSIXError(.EINVAL) }
            state.tree.nodes[id]?.content.truncate(to: Int(size))
            state.tree.nodes[id]?.modified = SFTPTree.now
        }
        if let permissions = attributes.permissions { state.tree.nodes[id]?.mode = permissions & 0o7777 }
        if let accessed = attributes.accessed, let modified = attributes.modified {
            state.tree.nodes[id]?.accessed = accessed
            state.tree.nodes[id]?.modified = modified
        }
        if let user = attributes.user, let group = attributes.group {
            state.tree.nodes[id]?.user = user
            state.tree.nodes[id]?.group = group
        }
    }
}
