import FileProviderConformance
import FileProviderCore
import Foundation

extension Flaw {
    /// What goes wrong where many are at work.
    static let crowds: [Flaw] = [
        Flaw(
            "loses one of many writes",
            found: [
                "Fifty tasks write, list, read, move, copy and remove in one folder",
                "Fifty tasks work in a folder each",
                "Fifty operations with handlers at once each end once, with their own result",
            ]
        ) { hooks in
            let count = LockedValue(0)
            hooks.write = { base, path, source, options in
                guard count.next() % 37 == 36 else {
                    return try await base.writeContents(path: path, from: source, options: options)
                }
                return FileObject(path: path, type: .regular, size: source.length)
            }
        },
        Flaw("mixes up readers", found: "Fifty tasks read parts of one file through one reader") { hooks in
            let count = LockedValue(0)
            hooks.stream = { base, part, sink in
                guard count.next() % 37 == 36, case .range(let range) = part else {
                    return try await base.stream(part, into: sink)
                }
                return try await base.stream(.range(range.lowerBound + 1..<range.upperBound + 1), into: sink)
            }
        },
        Flaw("forgets to move one of many", found: "Fifty tasks work in a folder each") { hooks in
            let count = LockedValue(0)
            hooks.move = { base, path, destination, overwrite in
                if count.next() % 37 == 36 {
                    return try await base.copyItem(path: path, to: destination, overwrite: overwrite)
                }
                try await base.moveItem(path: path, to: destination, overwrite: overwrite)
            }
        },
    ]
}

extension LockedValue<Int> {
    /// Counts up, and gives the number before.
    fileprivate func next() -> Int {
        update { count in
            defer { count += 1 }
            return count
        }
    }
}
