import FileProviderCore
import Foundation

extension WebDAVQuirks {
    /// The effect of a setting.
    private enum Change: Sendable {
        case flag(any WritableKeyPath<WebDAVQuirks, Bool> & Sendable)
        /// Returns false for a word that it doesn't know.
        case word([String], @Sendable (inout WebDAVQuirks, String) -> Bool)
    }

    /// The settings by name; their words are those of the types.
    private static let changes: [String: Change] = [
        "locks": .word(Locks.allCases.map(\.rawValue)) { quirks, word in
            Locks(rawValue: word).map { quirks.locks = $0 } != nil
        },
        "lock-use": .word(LockUse.allCases.map(\.rawValue)) { quirks, word in
            LockUse(rawValue: word).map { quirks.lockUse = $0 } != nil
        },
        "time-setting": .word(TimeSetting.allCases.map(\.rawValue)) { quirks, word in
            TimeSetting(rawValue: word).map { quirks.timeSetting = $0 } != nil
        },
        "chunk-size": .word(["off", "a number of bytes from 5242880 to 5368709120"]) { quirks, word in
            if word == "off" {
                quirks.chunkSize = nil
            } else {
                guard let size = Int64(word), Self.chunkSizes.contains(size) else { return false }
                quirks.chunkSize = size
            }
            return true
        },
        "if-none-match": .word(Condition.allCases.map(\.rawValue)) { quirks, word in
            Condition(rawValue: word).map { quirks.ifNoneMatch = $0 } != nil
        },
        "if-match": .word(Condition.allCases.map(\.rawValue)) { quirks, word in
            Condition(rawValue: word).map { quirks.ifMatch = $0 } != nil
        },
        "if": .flag(\.honoursIf),
        "exclusive-moves": .flag(\.movesExclusively), "whole-puts": .flag(\.putsWhole),
        "whole-reads": .flag(\.readsWhole),
        "moves-keep-tags": .flag(\.movesKeepTags),
        "entry-tags": .flag(\.listsEntryTags),
        "tree-tags": .flag(\.hasTreeTags), "checksums": .flag(\.takesChecksums), "same-sizes": .flag(\.keepsSizes),
        "late-parts": .flag(\.partsAppearLate),
        "search": .flag(\.searches),
        "moves-onto-folders": .flag(\.movesOntoFolders), "raw-names": .flag(\.keepsRawNames),
        "hides-dot-names": .flag(\.hidesDotNames),
        "refuses-moves": .flag(\.refusesMoves),
    ]

    /// The sizes that Nextcloud accepts for a chunk that is not the last.
    static let chunkSizes: ClosedRange<Int64> = (5 << 20)...(5 << 30)

    private static let vendorName = "vendor"

    /// The names of the settings that overrule what is known of a server.
    static var settingNames: Set<String> { Set(changes.keys).union([vendorName]) }

    /// The vendor that the settings name.
    ///
    /// - Throws: `CocoaError(.featureUnsupported)` for one that is not known.
    static func vendor(in settings: [String: String]) throws -> Vendor? {
        guard let word = settings[vendorName] else { return nil }
        guard let vendor = Vendor(rawValue: word) else {
            throw refusal(vendorName, word, Vendor.allCases.map(\.rawValue))
        }
        return vendor
    }

    /// Applies the settings over the known values; ignores settings that it doesn't know.
    ///
    /// - Throws: `CocoaError(.featureUnsupported)` naming the words that there are.
    mutating func apply(_ settings: [String: String]) throws {
        for (name, word) in settings {
            switch Self.changes[name] {
            case .flag(let flag):
                guard ["on", "off"].contains(word) else { throw Self.refusal(name, word, ["on", "off"]) }
                self[keyPath: flag] = word == "on"
            case .word(let known, let change):
                guard change(&self, word) else { throw Self.refusal(name, word, known) }
            case nil: break
            }
        }
    }

    private static func refusal(_ name: String, _ word: String, _ known: [String]) -> CocoaError {
        FileError.make(
            .featureUnsupported, path: name,
            sentence: "“\(word)” is no value of the setting “\(name)”. Use one of: \(known.joined(separator: ", ")).")
    }
}
