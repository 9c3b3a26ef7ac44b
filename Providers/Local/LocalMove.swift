import CLinux
import FileProviderCore
import Foundation

/// Puts an item into another place of the same file system, without ever merging folders. Source: rename(2).
struct LocalMove {
    enum Outcome {
        case done
        /// The kernel moves nothing between file systems.
        case otherFileSystem
    }

    let from: LocalPlace
    let to: LocalPlace
    let overwrite: Bool
    /// The errors of either end.
    let source: LocalContext
    let target: LocalContext

    func run() throws -> Outcome {
        guard let item = try from.status(source) else { throw source.error(ENOENT) }
        return overwrite ? try replace(with: item) : try takeFreeName(for: item)
    }

    // MARK: A name that must be free

    private func takeFreeName(for item: ItemStatus) throws -> Outcome {
        let result = from.name.withName { old in
            to.name.withName { carrel_rename_noreplace(from.folder.raw, old, to.folder.raw, $0) }
        }
        if result == 0 { return .done }
        switch errno {
        // Without that call here, another one that refuses a taken name in one step stands in. (EINVAL may also be a folder that is to
        // go into itself, which is then found there.)
        case EINVAL, ENOSYS: return item.type == .directory ? try claimWithFolder() : try claimWithLink()
        case let code: return try outcome(code)
        }
    }

    private func claimWithFolder() throws -> Outcome {
        try target.check(to.name.withName { mkdirat(to.folder.raw, $0, 0o700) })
        let code = rename()
        if code != 0 { try? to.unlink(target, flags: AT_REMOVEDIR) }
        return try outcome(code)
    }

    private func claimWithLink() throws -> Outcome {
        let result = from.name.withName { old in to.name.withName { linkat(from.folder.raw, old, to.folder.raw, $0, 0) } }
        if result != 0 { return try outcome(errno) }
        try from.unlink(source)
        return .done
    }

    // MARK: A name that may be taken

    private func replace(with item: ItemStatus) throws -> Outcome {
        guard let there = try to.status(target) else { return try outcome(rename()) }
        switch (item.type == .directory, there.type == .directory) {
        case (false, true):
            try to.unlink(target, flags: AT_REMOVEDIR)
            return try outcome(rename())
        case (true, false): return try replaceFileWithFolder()
        case (true, true):
            // A folder with content is in the way; file systems have two words for it.
            let code = rename()
            return try outcome(code == EEXIST ? ENOTEMPTY : code)
        case (false, false):
            let outcome = try outcome(rename())
            // Two names of one file: rename(2) leaves both and calls it a success.
            if outcome == .done, item.links > 1, item.isSameItem(as: there), try !isSameEntry() { try from.unlink(source) }
            return outcome
        }
    }

    /// The file steps aside until the folder is there, so that a failure loses nothing.
    private func replaceFileWithFolder() throws -> Outcome {
        let aside = try to.temporary()
        try target.check(to.name.withName { old in aside.name.withName { renameat(to.folder.raw, old, to.folder.raw, $0) } })
        let code = rename()
        if code == 0 {
            try aside.unlink(target)
        } else {
            _ = aside.name.withName { old in to.name.withName { renameat(to.folder.raw, old, to.folder.raw, $0) } }
        }
        return try outcome(code)
    }

    private func isSameEntry() throws -> Bool {
        guard from.name == to.name else { return false }
        return try ItemStatus(of: from.folder, source).isSameItem(as: ItemStatus(of: to.folder, target))
    }

    // MARK: The call

    /// 0, or what errno says.
    private func rename() -> Int32 {
        let result = from.name.withName { old in to.name.withName { renameat(from.folder.raw, old, to.folder.raw, $0) } }
        return result == 0 ? 0 : errno
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
