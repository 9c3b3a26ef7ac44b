import FileProviderCore
import Foundation
import MediaTypes

/// Divides a publication into positions: places that stay the same on every device and screen (Readium's positions).
public protocol PositionsService: PublicationService {
    /// The positions of each resource of the reading order, in its order. ``Locator/Locations-swift.struct/position``
    /// counts from 1 over the whole publication.
    ///
    /// - Throws: Errors of the storage.
    func positionsByReadingOrder() async throws -> [[Locator]]
}

extension PublicationServiceKey where Service == any PositionsService {
    /// Positions.
    public static var positions: Self { Self("positions") }
}

extension Publication {
    /// All positions, in reading order; none for sound, whose places are times.
    ///
    /// - Throws: Errors of the storage.
    /// - Complexity: No request: what opening the publication read tells them.
    public func positions() async throws -> [Locator] { try await positionsByReadingOrder().flatMap(\.self) }

    /// The positions of each resource of the reading order.
    ///
    /// - Throws: Errors of the storage.
    /// - Complexity: As ``positions()``.
    public func positionsByReadingOrder() async throws -> [[Locator]] {
        try await service(.positions)?.positionsByReadingOrder() ?? readingOrder.map { _ in [] }
    }
}

extension Publication {
    /// The number of all positions. Makes no locators, unless an app's own service does.
    ///
    /// - Throws: Errors of the storage.
    /// - Complexity: As ``positions()``.
    package func positionCount() async throws -> Int { try await positionTable().total }

    /// How many positions each resource has.
    func positionTable() async throws -> PositionTable {
        let service = service(.positions)
        if let own = service as? ManifestPositions { return own.table }
        return PositionTable(try await service?.positionsByReadingOrder() ?? [])
    }
}

/// Positions from what an archive's directory and the manifest say, without a look into any resource.
///
/// - A reflowable document has one for each 1,024 bytes that its entry takes in the archive, and one at least (Readium,
///   positions of EPUB). Outside an archive its own length counts, as far as a listing or the manifest tells it.
/// - A fixed page and an image have one each, a PDF document one for each page.
/// - Sound and video have none.
final class ManifestPositions: PositionsService {
    /// Bytes of a reflowable resource for one position.
    static let positionLength: Int64 = 1024
    /// What one resource may have, whatever its length claims.
    static let maxCount = 100_000
    /// What all resources may have together; more is shared out among them.
    static let maxTotal = 1_000_000

    private let context: PublicationServiceContext
    private let made = LockedValue<[[Locator]]?>(nil)
    private let counted = LockedValue<[Int]?>(nil)
    private let tabled = LockedValue<PositionTable?>(nil)

    init(_ context: PublicationServiceContext) { self.context = context }

    func positionsByReadingOrder() async throws -> [[Locator]] {
        let counts = counts
        return made.update { made in
            if let made { return made }
            let positions = Self.make(context.manifest, counts)
            made = positions
            return positions
        }
    }

    let links = [Link(href: ManifestPositions.href, type: ManifestPositions.type, rels: [ManifestPositions.rel])]
    private static let href = "~readium/positions"
    private static let type = "application/vnd.readium.position-list+json"
    private static let rel = "http://readium.org/position-list"

    func get(_ link: Link, parameters: [String: String]) -> (any Resource)? {
        guard ServiceHREF.matches(link.href, Self.href) else { return nil }
        return MadeResource(links[0]) { [self] in
            let positions = try await positionsByReadingOrder().flatMap(\.self)
            return JSONValue.object([
                "total": .integer(Int64(positions.count)), "positions": .array(positions.map(\.json)),
            ]).data
        }
    }

    /// The counts alone, for those who look up few places.
    var table: PositionTable {
        let counts = counts
        return tabled.update { table in
            if let table { return table }
            let made = PositionTable(counts: counts)
            table = made
            return made
        }
    }

    private var counts: [Int] {
        counted.update { counted in
            if let counted { return counted }
            let counts = Self.count(context)
            counted = counts
            return counts
        }
    }

    private static func count(_ context: PublicationServiceContext) -> [Int] {
        let manifest = context.manifest
        let lengths = lengths(context)
        var counts = manifest.readingOrder.map { count(of: $0, manifest, length: lengths[resource($0)]) }
        if counts.reduce(0, +) > maxTotal {
            let share = max(1, maxTotal / counts.count)
            counts = counts.map { min($0, share) }
        }
        return counts
    }

    private static func make(_ manifest: Manifest, _ counts: [Int]) -> [[Locator]] {
        let titles = Titles(manifest)
        let total = counts.reduce(0, +)
        var positions: [[Locator]] = []
        var next = 1
        for (link, count) in zip(manifest.readingOrder, counts) {
            let isPaged = MediaType.pdf.contains(link.mediaType)
            positions.append(
                (0..<count).map { index in
                    defer { next += 1 }
                    return Locator(
                        href: link.href, type: link.type ?? MediaType.binary.string, title: titles.title(of: link),
                        locations: Locator.Locations(
                            fragments: isPaged ? ["page=\(index + 1)"] : [],
                            progression: Double(index) / Double(count), position: next,
                            totalProgression: Double(next - 1) / Double(total)))
                })
        }
        return positions
    }

    private static func resource(_ link: Link) -> String { HREFBase.resource(of: link.href) }

    /// The lengths of reflowable resources where they lie: as the manifest has them, else as the archive's directory or
    /// the folder's listing does, which is there already. Nothing is asked of a server.
    private static func lengths(_ context: PublicationServiceContext) -> [String: Int64] {
        var lengths: [String: Int64] = [:]
        for link in context.manifest.readingOrder where isReflowable(link, context.manifest) {
            lengths[resource(link)] = link.storedLength ?? context.fetcher.get(link).link.storedLength
        }
        return lengths
    }

    private static func isReflowable(_ link: Link, _ manifest: Manifest) -> Bool {
        let type = link.mediaType
        return !type.isBitmap && !type.isAudio && !type.isVideo && !MediaType.pdf.contains(type)
            && manifest.layout(of: link) != .fixed
    }

    private static func count(of link: Link, _ manifest: Manifest, length: Int64?) -> Int {
        let type = link.mediaType
        if type.isAudio || type.isVideo { return 0 }
        if MediaType.pdf.contains(type) {
            return manifest.readingOrder.count == 1 ? min(maxPages, max(1, manifest.metadata.numberOfPages ?? 1)) : 1
        }
        guard isReflowable(link, manifest) else { return 1 }
        let (full, rest) = max(0, length ?? 0).quotientAndRemainder(dividingBy: positionLength)
        return Int(min(Int64(maxCount), max(1, full + (rest > 0 ? 1 : 0))))
    }

    private static let maxPages = 1_000_000
}

/// What the table of contents calls each resource, else what the resource's link does.
private struct Titles {
    private var titles: [String: String] = [:]

    init(_ manifest: Manifest) { add(manifest.tableOfContents) }

    private mutating func add(_ links: [Link]) {
        for link in links {
            let href = HREFBase.resource(of: link.href)
            if titles[href] == nil { titles[href] = link.title }
            add(link.children)
        }
    }

    func title(of link: Link) -> String? { link.title ?? titles[HREFBase.resource(of: link.href)] }
}
