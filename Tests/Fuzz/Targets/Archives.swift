import FileProviderCore
import Foundation

@testable import Archives
@testable import MediaTypes
@testable import Publication

/// A ZIP file, as it is, and without its last byte as after a download that stopped: then its entries are found without
/// the directory.
func fuzzZIP(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let bytes = Data(FuzzInput(data, size: size).bytes)
    wait { try await readArchive(bytes) }
    wait { try await readArchive(bytes.dropLast()) }
    return 0
}

/// Reads entries whole, from nearby, and in part, from afar and after they were asked for together.
private func readArchive(_ bytes: Data) async throws {
    var limits = ArchiveLimits.standard
    limits.maxEntrySize = 1 << 20
    let near: any Archive = try await ZIPArchive.open(FuzzReader(bytes, cost: .local), limits: limits, salvaging: true)
    let far = ArchiveFetcher(try await ZIPArchive.open(FuzzReader(bytes), limits: limits, salvaging: true))
    precondition(far.archive.entries == near.entries, "How an archive is read changes what is in it.")
    if let archive = near as? ZIPArchive {
        let named = try await ZIPNames.decide(archive, assuming: nil)
        precondition(
            named.entries.count == near.entries.count, "Names in another encoding change what is in an archive.")
        precondition(named.entries.allSatisfy { EntryName.confined($0.path) == $0.path }, "A name leads elsewhere.")
    }
    let files = near.entries.filter { !$0.isDirectory }.prefix(64)
    let links = files.map { Link(href: HREF.encode($0.path)) }
    try await far.prefetch(hrefs: links.map(\.href))
    for (entry, link) in zip(files, links) {
        precondition(near.entry(at: entry.path) == entry, "An entry is not found by its name.")
        guard let whole = try? await near.read(entry, range: nil) else { continue }
        precondition(whole.count <= max(limits.maxEntrySize, Int64(bytes.count)), "An entry is larger than allowed.")
        let part = try await far.archive.read(entry, range: 3..<40)
        precondition(part == whole.dropFirst(3).prefix(37), "A part is not the same as in the whole.")
        do {
            let resource = try await far.get(link).read()
            precondition(resource == whole, "A resource is not the entry of its name.")
        } catch {
            preconditionFailure("A resource cannot be read, and its entry can: \(error)")
        }
    }
    await near.close()
    await far.close()
}
