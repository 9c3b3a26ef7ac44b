import FileProviderCore
import Foundation

/// Moves an item to another place in the same file system, without ever merging folders. Source: rename(2).
struct LocalMove {
    enum Outcome {
        case done
        /// The kernel cannot move items between file systems.
        case otherFileSystem
    }

    let from: LocalEntry
    let to: LocalEntry
    let overwrite: Bool
    /// The contexts of the errors at either end.
    let source: LocalContext
    let target: LocalContext
    var calls = KernelCalls.all

    /// Moves the item, and syncs both names to the disk.
    func run() throws -> Outcome {
        guard let item = try from.status(source) else { throw source.error(ENOENT) }
        let outcome = overwrite ? try replace(with: item) : try takeFreeName(for: item)
        if outcome == .done {
            // The new name first: a crash in between may leave both, never none.
            try to.syncableFolder.syncNames(path: target.path)
            if from.folder !== to.folder { try from.syncableFolder.syncNames(path: source.path) }
        }
        return outcome
    }

    // MARK: A name that must be free

    private func takeFreeName(for item: ItemStatus) throws -> Outcome {
        let name = FreeName(from: (from.folder, from.name), to: (to.folder, to.name), calls: calls)
        return try outcome(name.take(isFolder: item.type == .directory))
    }

    // MARK: A name that may be taken

    private func replace(with item: ItemStatus) throws -> Outcome {
        guard let there = try to.status(target) else { return try outcome(from.rename(to: to)) }
        switch (item.type == .directory, there.type == .directory) {
        case (false, true):
            try to.unlink(target, flags: AT_REMOVEDIR)
            return try outcome(from.rename(to: to))
        case (true, false): return try replaceFileWithFolder()
        case (true, true):
            // A folder that is not empty is in the way; file systems use one of two codes for it.
            let code = from.rename(to: to)
            return try outcome(code == EEXIST ? ENOTEMPTY : code)
        case (false, false):
            let outcome = try outcome(from.rename(to: to))
            // Two names of one file: rename(2) leaves both and reports a success.
            if outcome == .done, item.links > 1, item.isSameItem(as: there), try !isSameEntry() {
                try from.unlink(source)
            }
            return outcome
        }
    }

    /// Moves the file aside until the folder is in place, so that a failure loses nothing.
    private func replaceFileWithFolder() throws -> Outcome {
        let aside = try to.aside()
        let step = to.rename(to: aside)
        if step != 0 { throw target.error(step) }
        let code = from.rename(to: to)
        if code == 0 {
            try aside.unlink(target)
        } else {
            _ = aside.rename(to: to)
        }
        return try outcome(code)
    }

    private func isSameEntry() throws -> Bool {
        guard from.name == to.name else { return false }
        return try ItemStatus(of: from.folder, source).isSameItem(as: ItemStatus(of: to.folder, target))
    }

    private func outcome(_ code: Int32) throws -> Outcome {
        switch code {
        case 0: return .done
        case EXDEV: return .otherFileSystem
        case EINVAL: throw target.intoItself
        default: throw target.error(code)
        }
    }
}
