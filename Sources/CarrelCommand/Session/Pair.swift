import Carrel
import Foundation

/// A source and a target.
struct Pair: Sendable {
    let source: Operand
    let target: Operand

    /// Returns the source's name in the target if that is a folder, else the target itself.
    ///
    /// - Parameter target: The target as given by the user: a trailing slash asks for a folder.
    func destination(for item: FileObject, target text: String) async throws -> Operand {
        let existing: FileObject?
        do { existing = try await target.itemIfAny() } catch let error where error.refusesLook {
            // The target may be a folder that can be written but not read; a trailing slash says so.
            return text.hasSuffix("/") ? try target.item(named: source.path.nameBytes) : target
        }
        if try await existing?.isFolder(of: target) == true { return try target.item(named: source.path.nameBytes) }
        if !item.isDirectory, text.hasSuffix("/") {
            if existing == nil, try await target.provider.capabilities().makesParentFolders {
                return try target.item(named: source.path.nameBytes)
            }
            throw existing == nil
                ? FileError.make(.fileNoSuchFile, path: target.path, sentence: "There is no folder “\(target.path)”.")
                : FileError.notADirectory(target.path, writing: true)
        }
        return target
    }

    /// Adds to an error the location that it is about: by its path, else by its host.
    func locate(_ error: any Error) -> any Error {
        let info = (error.innermost as NSError).userInfo
        let errorPath = info[NSFilePathErrorKey] as? String ?? (error.innermost as? any FileProviderHTTPError)?.path
        let path = errorPath.flatMap { try? ProviderPath($0) }
        let url = (info[NSURLErrorKey] ?? info[NSURLErrorFailingURLErrorKey]) as? URL
        let isTarget: Bool
        if let path {
            let fits = { (operand: Operand) in
                path == operand.path || path.isBelow(operand.path) || path == operand.path.parent
            }
            isTarget =
                fits(target)
                && (!fits(source)
                    || url.map(target.provider.holds) ?? false && !(url.map(source.provider.holds) ?? false))
        } else {
            isTarget = url.map { target.provider.holds($0) && !source.provider.holds($0) } ?? false
        }
        guard isTarget else { return error.at(source.shown) }
        // An error about the folder itself already names it.
        guard let path, path != target.path.parent else { return error.at(target.shown) }
        return error.naming(missingParentOf: path).at(target.shown)
    }
}

extension FileProviderBasic {
    /// Whether `url` is on this provider's host.
    fileprivate func holds(_ url: URL) -> Bool { baseURL?.host() == url.host() && baseURL?.port == url.port }
}

extension FileObject {
    /// Whether this is a folder, or a symbolic link to one.
    func isFolder(of operand: Operand) async throws -> Bool {
        if isDirectory { return true }
        guard isSymbolicLink, operand.provider is LocalFileProvider else { return false }
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: operand.path.string, isDirectory: &isFolder) && isFolder.boolValue
    }
}
