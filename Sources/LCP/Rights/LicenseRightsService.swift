import FileProviderCore
public import Foundation
public import Publication

extension PublicationServiceKey where Service == LicenseRightsService {
    /// What a licence allows to be copied and printed.
    public static var licenseRights: Self { Self("licenseRights") }
}

/// What the licence of a publication allows, counted in the app's store (Readium's content protection service).
///
/// ```swift
/// if let rights = publication.service(.licenseRights), try await rights.copy(selection) { pasteboard = selection }
/// ```
public final class LicenseRightsService: PublicationService {
    /// The licence.
    public let license: LicenseDocument
    private let store: any LicenseStore
    private let clock: @Sendable () -> Date

    /// - Parameters:
    ///   - store: Where what was used is counted.
    ///   - clock: The time by which the licence begins and ends.
    public init(license: LicenseDocument, store: any LicenseStore, clock: @escaping @Sendable () -> Date = { Date() }) {
        self.license = license
        self.store = store
        self.clock = clock
    }

    /// How much is left; nil where there is no limit.
    ///
    /// - Throws: Errors of the store.
    public func remaining(_ budget: LicenseBudget) async throws -> Int? {
        guard let limit = limit(of: budget) else { return nil }
        return max(0, limit - (try await store.used(budget, of: license.id)))
    }

    /// Whether `text` may be copied; nothing is counted.
    ///
    /// - Throws: Errors of the store.
    public func canCopy(_ text: String) async throws -> Bool { try await can(.copy, text.count) }

    /// Counts the characters of `text` as copied.
    ///
    /// - Returns: False, and nothing is counted, where the licence does not allow that many.
    /// - Throws: Errors of the store.
    public func copy(_ text: String) async throws -> Bool { try await consume(.copy, text.count) }

    /// Counts that many characters as copied, as ``copy(_:)`` does it.
    package func copy(characters: Int) async throws -> Bool { try await consume(.copy, characters) }

    /// Whether `pages` pages may be printed; nothing is counted.
    ///
    /// - Throws: Errors of the store.
    public func canPrint(pages: Int) async throws -> Bool { try await can(.print, pages) }

    /// Counts `pages` pages as printed.
    ///
    /// - Returns: False, and nothing is counted, where the licence does not allow that many.
    /// - Throws: Errors of the store.
    public func print(pages: Int) async throws -> Bool { try await consume(.print, pages) }

    private func limit(of budget: LicenseBudget) -> Int? {
        budget == .copy ? license.rights.copy : license.rights.print
    }

    private var isInForce: Bool {
        let now = clock()
        return now >= license.rights.start ?? .distantPast && now <= license.rights.end ?? .distantFuture
    }

    private func can(_ budget: LicenseBudget, _ count: Int) async throws -> Bool {
        guard isInForce else { return false }
        return try await store.used(budget, of: license.id).adding(count, limit: limit(of: budget)) != nil
    }

    private func consume(_ budget: LicenseBudget, _ count: Int) async throws -> Bool {
        guard isInForce else { return false }
        return try await store.consume(count, of: budget, limit: limit(of: budget), for: license.id)
    }

    // MARK: Addresses

    private static let copyHREF = "~readium/rights/copy"
    private static let printHREF = "~readium/rights/print"

    /// `~readium/rights/copy{?text,peek}` and `~readium/rights/print{?pageCount,peek}`.
    public var links: [Link] {
        [Self.copyHREF + "{?text,peek}", Self.printHREF + "{?pageCount,peek}"].map {
            var link = Link(href: $0, type: "application/json")
            link.templated = true
            return link
        }
    }

    /// An empty JSON object where it is allowed, and counted unless `peek` is `true`; else a resource that fails with
    /// `CocoaError(.fileReadNoPermission)`.
    public func get(_ link: Link, parameters: [String: String]) -> (any Resource)? {
        let isCopy = ServiceHREF.matches(link.href, Self.copyHREF)
        guard isCopy || ServiceHREF.matches(link.href, Self.printHREF) else { return nil }
        let values = ServiceHREF.query(link.href).merging(parameters) { $1 }
        let count = isCopy ? values["text"]?.count : values["pageCount"].flatMap { Int($0) }
        let (budget, peek) = (isCopy ? LicenseBudget.copy : .print, values["peek"] == "true")
        return MadeResource(Link(href: link.href, type: "application/json")) { [self] in
            guard let count, count >= 0 else {
                throw FileError.make(
                    .fileReadInvalidFileName, path: link.href,
                    sentence: "“\(isCopy ? "text" : "pageCount")” is missing or not a number.")
            }
            let isAllowed = peek ? try await can(budget, count) : try await consume(budget, count)
            guard isAllowed else { throw LCPProblem(isCopy ? .copyLimit : .printLimit).underlying }
            return Data("{}".utf8)
        }
    }
}
