import FileProviderCore
import Foundation

extension SyncOptions.RemovalLimit {
    /// Parses `100`, a number of items, or `25%`, a share of the items that both sides had in common.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` for anything else.
    public init(_ text: String) throws {
        if text.hasSuffix("%"), let percent = Double(text.dropLast()), (0...100).contains(percent) {
            self = .share(percent / 100)
        } else if let count = Int(text), count >= 0 {
            self = .count(count)
        } else {
            throw FileError.make(
                .fileReadCorruptFile, path: text,
                sentence: "“\(text)” is not a removal limit. Write a number (“100”) or a share (“25%”).")
        }
    }
}
