import FileProviderCore
public import Foundation

/// What a licence counts.
public enum LicenseBudget: String, Hashable, Sendable, CaseIterable {
    /// Characters that are copied.
    case copy
    /// Pages that are printed.
    case print
}

/// What an app keeps of each licence, by the licence's identifier.
///
/// Each call is one step: of several that run at the same time, also in other processes, none is lost.
public protocol LicenseStore: Sendable {
    /// How much of a budget was used.
    func used(_ budget: LicenseBudget, of id: String) async throws -> Int

    /// Counts `count` more, unless there would then be more than `limit`.
    ///
    /// - Parameter limit: Nil for any number.
    /// - Returns: Whether it was counted.
    func consume(_ count: Int, of budget: LicenseBudget, limit: Int?, for id: String) async throws -> Bool

    /// The newest licence that was kept; nil if none was.
    func newestLicense(_ id: String) async throws -> LicenseDocument?

    /// Keeps `license` unless a newer one with its identifier is there.
    func keep(_ license: LicenseDocument) async throws

    /// The latest time at which the licence was used; nil if never.
    func lastSeen(_ id: String) async throws -> Date?

    /// Keeps the time of a use unless a later one is there.
    func setLastSeen(_ date: Date, of id: String) async throws

    /// Whether the device called `device` has registered for the licence.
    func isRegistered(_ device: String, for id: String) async throws -> Bool

    /// Keeps that the device has registered.
    func setRegistered(_ device: String, for id: String) async throws

    /// How the provider ended the licence; nil if it did not, or lent it again.
    func ending(of id: String) async throws -> LicenseEnding?

    /// Keeps how the provider ended the licence; nil if it may be used again.
    func setEnding(_ ending: LicenseEnding?, of id: String) async throws
}

/// A store in memory, for the lifetime of the object: budgets are full again when the app starts again.
public final class MemoryLicenseStore: LicenseStore {
    private struct Record {
        var used: [LicenseBudget: Int] = [:]
        var license: LicenseDocument?
        var lastSeen: Date?
        var devices: Set<String> = []
        var ending: LicenseEnding?
    }

    private let records = LockedValue<[String: Record]>([:])

    /// An empty store.
    public init() {}

    /// As the protocol says; never throws.
    public func used(_ budget: LicenseBudget, of id: String) async throws -> Int {
        records.value[id]?.used[budget] ?? 0
    }

    /// As the protocol says; never throws.
    public func consume(_ count: Int, of budget: LicenseBudget, limit: Int?, for id: String) async throws -> Bool {
        records.update { records in
            var record = records[id] ?? Record()
            guard let sum = record.used[budget, default: 0].adding(count, limit: limit) else { return false }
            record.used[budget] = sum
            records[id] = record
            return true
        }
    }

    /// As the protocol says; never throws.
    public func newestLicense(_ id: String) async throws -> LicenseDocument? { records.value[id]?.license }

    /// As the protocol says; never throws.
    public func keep(_ license: LicenseDocument) async throws {
        records.update { records in
            if let kept = records[license.id]?.license, kept.date > license.date { return }
            records[license.id, default: Record()].license = license
        }
    }

    /// As the protocol says; never throws.
    public func lastSeen(_ id: String) async throws -> Date? { records.value[id]?.lastSeen }

    /// As the protocol says; never throws.
    public func setLastSeen(_ date: Date, of id: String) async throws {
        records.update { records in
            if let kept = records[id]?.lastSeen, kept > date { return }
            records[id, default: Record()].lastSeen = date
        }
    }

    /// As the protocol says; never throws.
    public func isRegistered(_ device: String, for id: String) async throws -> Bool {
        records.value[id]?.devices.contains(device) ?? false
    }

    /// As the protocol says; never throws.
    public func setRegistered(_ device: String, for id: String) async throws {
        records.update { _ = $0[id, default: Record()].devices.insert(device) }
    }

    /// As the protocol says; never throws.
    public func ending(of id: String) async throws -> LicenseEnding? { records.value[id]?.ending }

    /// As the protocol says; never throws.
    public func setEnding(_ ending: LicenseEnding?, of id: String) async throws {
        records.update { $0[id, default: Record()].ending = ending }
    }
}

extension Int {
    /// The sum; nil if `count` is negative, or the sum over `limit` or no number.
    package func adding(_ count: Int, limit: Int?) -> Int? {
        guard count >= 0 else { return nil }
        let (sum, overflows) = addingReportingOverflow(count)
        return overflows || sum > limit ?? .max ? nil : sum
    }
}
