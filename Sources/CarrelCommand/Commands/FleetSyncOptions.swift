import ArgumentParser
import Carrel
import Foundation
import Sync

/// How a pair of a fleet is kept in step: the options of `sync`, as they are kept in the database.
struct FleetSyncOptions: ParsableArguments {
    @Flag(help: "Apply changes of the destination to the source, too.")
    var twoWay = false
    @Flag(
        help:
            "Remove items from the destination that the source no longer has; the first run never does. --two-way always removes."
    )
    var delete = false
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Exclude (“- *.tmp”) or include (“+ */”) matching items; may be repeated.", valueName: "rule"))
    var filter: [String] = []
    @Option(
        help: ArgumentHelp(
            "Stop before any change if more would be removed; the default is half of all.", valueName: "n|p%"))
    var maxDelete: String?
    @Flag(help: "In the first run, compare files by content even if size and time are equal.")
    var checksum = false
    @Option(
        help: ArgumentHelp(
            "Symbolic links: skip (the default); copy those that stay within the folder; or all.", valueName: "what"))
    var links: SyncFolders.Links?
    @Flag(help: "Keep replaced and removed items in .carrel-trash.")
    var trash = false
    @Option(help: ArgumentHelp("How long items stay there; the default is 30.", valueName: "days"))
    var trashDays: Double?
    @Option(
        help: ArgumentHelp(
            "Bytes per second by time of day, such as “08:00,512K 18:30,10M 23:00,off”.", valueName: "timetable"))
    var timetable: String?

    /// Whether none is given.
    var isEmpty: Bool { members.isEmpty }

    /// The names are those of ``SyncOptions`` when it is decoded.
    private var members: [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        if twoWay { members["direction"] = "twoWay" }
        if delete { members["deletes"] = true }
        if !filter.isEmpty { members["filter"] = .array(filter.map { .string($0) }) }
        if let maxDelete { members["removalLimit"] = .string(maxDelete) }
        if checksum { members["comparesContent"] = true }
        if let links { members["links"] = .string(links.rawValue) }
        if trash { members["keepsReplaced"] = true }
        if let trashDays { members["trashDays"] = JSONValue(trashDays) }
        if let timetable { members["bandwidth"] = .string(timetable) }
        return members
    }

    /// Returns the options as JSON.
    ///
    /// - Throws: `CocoaError` with a sentence for a value that cannot be.
    func text() throws -> String { try Self.text(of: .object(members)) }

    /// Returns options from elsewhere as JSON, after checking that a worker can read them.
    ///
    /// - Throws: `CocoaError` with a sentence for an unknown name or a value that cannot be.
    static func text(of options: JSONValue) throws -> String {
        do { _ = try JSONDecoder().decode(SyncOptions.self, from: options.data) } catch let error as DecodingError {
            throw FileError.make(.fileReadCorruptFile, path: "options", sentence: sentence(of: error))
        }
        return options.jsonString
    }

    private static func sentence(of error: DecodingError) -> String {
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            let place = context.codingPath.map(\.stringValue).joined(separator: ".")
            return place.isEmpty ? context.debugDescription : "\(place): \(context.debugDescription)"
        @unknown default: return error.sentence
        }
    }
}
