package import Foundation

/// A store that is opened when it is used for the first time, so that books without a licence touch nothing.
package actor DeferredLicenseStore: LicenseStore {
    private let opener: @Sendable () async throws -> any LicenseStore
    private var opening: Task<any LicenseStore, any Error>?

    /// - Parameter opener: Called once. If it fails, the call that needed it fails, and a later one tries again.
    package init(_ opener: @escaping @Sendable () async throws -> any LicenseStore) { self.opener = opener }

    private func opened() async throws -> any LicenseStore {
        let task = opening ?? Task { [opener] in try await opener() }
        opening = task
        do { return try await task.value } catch {
            if opening == task { opening = nil }
            throw error
        }
    }

    package func used(_ budget: LicenseBudget, of id: String) async throws -> Int {
        try await opened().used(budget, of: id)
    }

    package func consume(_ count: Int, of budget: LicenseBudget, limit: Int?, for id: String) async throws -> Bool {
        try await opened().consume(count, of: budget, limit: limit, for: id)
    }

    package func newestLicense(_ id: String) async throws -> LicenseDocument? {
        try await opened().newestLicense(id)
    }

    package func keep(_ license: LicenseDocument) async throws { try await opened().keep(license) }

    package func lastSeen(_ id: String) async throws -> Date? { try await opened().lastSeen(id) }

    package func setLastSeen(_ date: Date, of id: String) async throws { try await opened().setLastSeen(date, of: id) }

    package func isRegistered(_ device: String, for id: String) async throws -> Bool {
        try await opened().isRegistered(device, for: id)
    }

    package func setRegistered(_ device: String, for id: String) async throws {
        try await opened().setRegistered(device, for: id)
    }

    package func ending(of id: String) async throws -> LicenseEnding? { try await opened().ending(of: id) }

    package func setEnding(_ ending: LicenseEnding?, of id: String) async throws {
        try await opened().setEnding(ending, of: id)
    }
}
