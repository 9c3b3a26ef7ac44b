import ArgumentParser
import Carrel
import Foundation

extension CompletionKind {
    /// Files of this machine and saved connections.
    static var location: CompletionKind {
        .custom { _, _, prefix in Completions.connections(prefix) + Completions.files(prefix) }
    }
    /// Names of saved connections.
    static var connection: CompletionKind {
        .custom { _, _, prefix in Completions.names.filter { $0.hasPrefix(prefix) } }
    }
}

/// The completions that a shell offers for the Tab key.
private enum Completions {
    /// The most names of a folder that are offered.
    private static let maxCount = 2000

    /// The names in the configuration file; none if it can't be read, because errors can't be reported here.
    static var names: [String] {
        let file = Connections.file(ProcessInfo.processInfo.environment)
        guard let handle = FileHandle(forReadingAtPath: file),
            let data = try? handle.read(upToCount: NamedConnections.maxFileSize),
            let document = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
        else { return [] }
        return (document["connections"] as? [String: Any] ?? [:]).keys.sorted()
    }

    static func connections(_ prefix: String) -> [String] { names.map { $0 + ":" }.filter { $0.hasPrefix(prefix) } }

    /// Folders end with a slash.
    static func files(_ prefix: String) -> [String] {
        let cut = prefix.lastIndex(of: "/").map(prefix.index(after:)) ?? prefix.startIndex
        let (folder, start) = (String(prefix[..<cut]), prefix[cut...])
        let operand = folder.isEmpty ? "." : NSString(string: folder).expandingTildeInPath
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: operand)) ?? []).filter { name in
            name.hasPrefix(start) && (start.hasPrefix(".") || !name.hasPrefix("."))
        }
        return names.sorted().prefix(maxCount).map { name in
            var isFolder: ObjCBool = false
            let exists = FileManager.default.fileExists(atPath: operand + "/" + name, isDirectory: &isFolder)
            return folder + name + (exists && isFolder.boolValue ? "/" : "")
        }
    }
}
