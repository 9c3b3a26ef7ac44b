import Foundation
import ReaderMessages

extension ReaderCommand {
    /// The largest cover that is sent, in bytes.
    static let maxCoverSize = 5 << 20

    /// Returns the command as it is sent: names of collections trimmed, empty names and covers that are too large
    /// removed; with a message for each removed cover.
    func tidied() -> (command: ReaderCommand, messages: [StatusMessage]) {
        var messages: [StatusMessage] = []
        func fitting(_ cover: EncodedCover?, _ name: String) -> EncodedCover? {
            guard let cover, cover.decodedSize > Self.maxCoverSize else { return cover }
            let sentence =
                "The cover of “\(StagedName.shown(name))” is larger than \(Self.maxCoverSize >> 20) MiB and was not sent."
            messages.append(StatusMessage(sentence, about: kind.fileName))
            return nil
        }
        func tidied(_ update: UpdateMetadata) -> UpdateMetadata {
            var update = update
            for index in update.books.indices {
                update.books[index].collections = update.books[index].collections.map(Self.collections)
                update.books[index].cover = fitting(update.books[index].cover, update.books[index].reference.title)
            }
            return update
        }
        switch self {
        case .uploadBooks(var upload):
            for index in upload.books.indices {
                upload.books[index].collections = Self.collections(upload.books[index].collections)
                upload.books[index].cover = fitting(upload.books[index].cover, upload.books[index].filename)
            }
            return (.uploadBooks(upload), messages)
        case .updateMetadata(let update): return (.updateMetadata(tidied(update)), messages)
        case .updateMetadataItems(let update): return (.updateMetadataItems(tidied(update)), messages)
        case .rebuildCollections(var rebuild):
            for index in rebuild.books.indices {
                rebuild.books[index].collections = Self.collections(rebuild.books[index].collections)
            }
            return (.rebuildCollections(rebuild), messages)
        case .deleteBooks, .action: return (self, messages)
        }
    }

    /// Returns the names of collections as they are sent.
    static func collections(_ names: [String]) -> [String] {
        names.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }.filter { !$0.isEmpty }
    }
}
