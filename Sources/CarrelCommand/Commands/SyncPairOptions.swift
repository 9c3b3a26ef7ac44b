import ArgumentParser
import Carrel
import Foundation
import Sync

/// How a pair of folders is kept in step: the options that `sync` and `fleet add` share.
struct SyncPairOptions: ParsableArguments {
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
            "Stop before any change if more would be removed; the default is half of all. A share above 0% always allows five.",
            valueName: "n|p%"))
    var maxDelete: String?
    @Flag(help: "In the first run, compare files by content even if size and time are equal.")
    var checksum = false
    @Flag(help: "Transfer files even if their size differs from the server's listing.")
    var ignoreSize = false
    @Option(
        help: ArgumentHelp(
            "Symbolic links: skip (the default); copy those that stay within the folder; or all.", valueName: "what"),
        completion: .list(SyncOptions.Links.allCases.map(\.rawValue)),
        transform: SyncPairOptions.links)
    var links: SyncOptions.Links?
    @Flag(
        help:
            "Keep replaced and removed items in .carrel-trash. A mirror always keeps the destination's own changes there."
    )
    var trash = false
    @Option(help: ArgumentHelp("How long items stay there; the default is 30.", valueName: "days"))
    var trashDays: Int?
    @Option(
        help: ArgumentHelp(
            "Bytes per second by time of day, such as “08:00,512K 18:30,10M 23:00,off”.", valueName: "timetable"))
    var timetable: String?

    private static func links(_ text: String) throws -> SyncOptions.Links {
        if let links = SyncOptions.Links(rawValue: text) { return links }
        throw ValidationError("Give skip, copy or all.")
    }

    func validate() throws {
        if let trashDays, !(1...36_500).contains(trashDays) {
            throw ValidationError("--trash-days needs a number of days, 1 or more.")
        }
        do { _ = try options() } catch let error as CocoaError { throw ValidationError(error.sentence) }
    }

    /// - Throws: `CocoaError` with a sentence for a value that cannot be read.
    func options() throws -> SyncOptions {
        var options = SyncOptions(direction: twoWay ? .twoWay : .mirror)
        options.deletes = delete
        if let maxDelete { options.removalLimit = try SyncOptions.RemovalLimit(maxDelete) }
        options.filter = try SyncFilter(filter)
        options.links = links ?? options.links
        options.comparesContent = checksum
        options.ignoresListedSizes = ignoreSize
        options.keepsReplaced = trash
        if let trashDays { options.trashAge = Double(trashDays) * 86_400 }
        if let timetable { options.bandwidth = try BandwidthTimetable(timetable) }
        return options
    }

    /// The options that are given, with the names that a configuration file has for them.
    var members: [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        if twoWay { members["direction"] = "twoWay" }
        if delete { members["deletes"] = true }
        if !filter.isEmpty { members["filter"] = .array(filter.map { .string($0) }) }
        if let maxDelete { members["removalLimit"] = .string(maxDelete) }
        if checksum { members["comparesContent"] = true }
        if ignoreSize { members["ignoresListedSizes"] = true }
        if let links { members["links"] = .string(links.rawValue) }
        if trash { members["keepsReplaced"] = true }
        if let trashDays { members["trashDays"] = .integer(Int64(trashDays)) }
        if let timetable { members["bandwidth"] = .string(timetable) }
        return members
    }
}
