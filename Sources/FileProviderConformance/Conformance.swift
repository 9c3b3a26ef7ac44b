public import FileProviderCore

/// The test kit for any provider: tries every promise that `FileProviderCore` makes to callers, and lists those that
/// are broken.
///
/// ```swift
/// let report = await Conformance(provider: MyProvider(), folder: .root).run()
/// print(report)
/// ```
///
/// The kit creates one folder below ``folder``, works only in there, and removes it at the end. It calls
/// `capabilities()` first: a behaviour whose ability is missing is skipped and named in the report, and an ability that
/// is declared unavailable must fail without changing anything. List expected failures in ``known``.
public struct Conformance: Sendable {
    /// Makes one more connection to the same storage.
    public typealias Connect = @Sendable () async throws -> any FileProvider

    /// The provider to test.
    public let provider: any FileProvider
    /// An existing folder of the provider, in which the kit creates its own.
    public let folder: ProviderPath
    /// The most time for one behaviour; one that takes longer is a violation, and the next one starts.
    public var timeout: Duration
    /// Which behaviours to try, by name.
    public var isIncluded: @Sendable (_ behaviour: String) -> Bool
    /// The known failures, with a reason each.
    public var known: [KnownFailure]
    /// Needed for behaviours that release or invalidate a provider; without it they are skipped.
    public var connect: Connect?

    /// Creates a run of the kit.
    ///
    /// - Parameters:
    ///   - folder: An existing folder; after the run it has the same content as before.
    ///   - timeout: For each behaviour.
    ///   - isIncluded: Which behaviours to try, by name; by default all.
    ///   - known: The known failures. The run fails if one of these behaviours holds, unless it fails only
    ///     occasionally.
    ///   - connect: Makes one more connection to the same storage.
    public init(
        provider: any FileProvider, folder: ProviderPath, timeout: Duration = .seconds(30),
        isIncluded: @escaping @Sendable (_ behaviour: String) -> Bool = { _ in true }, known: [KnownFailure] = [],
        connect: Connect? = nil
    ) {
        self.provider = provider
        self.folder = folder
        self.timeout = timeout
        self.isIncluded = isIncluded
        self.known = known
        self.connect = connect
    }

    /// Tries every behaviour, one after the other, and cleans up.
    ///
    /// A violation never ends the run. Cancelling the task does: the remaining behaviours are reported as skipped.
    ///
    /// - Complexity: About ten thousand requests and 100 MB of traffic.
    public func run() async -> Report {
        var report = Report(hasKnownList: !known.isEmpty)
        let provider = provider
        switch await TimeLimit.run(timeout, { try await provider.capabilities() }) {
        case .failure(let error):
            report.add(.failure(error), of: Self.asking, in: .run)
        case .success(let capabilities):
            await run(with: capabilities, into: &report)
        }
        report.judge(by: known)
        return report
    }

    static func isBehaviour(_ name: String) -> Bool {
        Behaviour.all.contains { $0.name == name || $0.id == name }
            || [asking, preparing, cleaning].contains { $0 == name || Behaviour.id(.run, $0) == name }
    }

    static let asking = "The provider tells its capabilities"
    static let preparing = "The kit's own folder can be made"
    static let cleaning = "The kit's own folder goes with all it holds"

    private func run(with capabilities: Capabilities, into report: inout Report) async {
        let chosen = Behaviour.all.filter { isIncluded($0.name) }
        var home: ProviderPath?
        if capabilities.has(.folderCreation), capabilities.has(.removal), chosen.contains(where: \.needsFolder) {
            home = await makeHome(into: &report)
        }
        for (index, behaviour) in chosen.enumerated() {
            if Task.isCancelled {
                report.add(
                    .failure(SkippedBehaviour(reason: "the run was cancelled")), of: behaviour.name, in: behaviour.group
                )
            } else if let reason = behaviour.reasonToSkip(
                capabilities, hasConnect: connect != nil, hasFolder: home != nil)
            {
                report.add(.failure(SkippedBehaviour(reason: reason)), of: behaviour.name, in: behaviour.group)
            } else {
                let own = try? home?.appending("\(index + 1)")
                let trial = Trial(
                    provider: provider, capabilities: capabilities, folder: own ?? folder, connect: connect)
                report.add(await attempt(behaviour, in: trial), of: behaviour.name, in: behaviour.group)
            }
        }
        if let home { await clean(home, capabilities, into: &report) }
    }

    private func makeHome(into report: inout Report) async -> ProviderPath? {
        let provider = provider
        let folder = folder
        let made = await TimeLimit.run(timeout) {
            let home = try folder.appending("carrel-conformance-\(String(UInt64.random(in: .min ... .max), radix: 36))")
            try await provider.createFolder(path: home)
            return home
        }
        if case .success(let home) = made { return home }
        report.add(made.map { _ in }, of: Self.preparing, in: .run)
        return nil
    }

    private func attempt(_ behaviour: Behaviour, in trial: Trial) async -> Result<Void, any Error> {
        let result = await TimeLimit.run(timeout) {
            if behaviour.needsFolder { try await trial.provider.createFolder(path: trial.folder) }
            try await behaviour.body(trial)
        }
        if behaviour.needsFolder {
            // Items that cannot be removed now are removed at the end of the run.
            _ = await TimeLimit.run(timeout) { try await trial.removeTree(trial.folder) }
        }
        return result
    }

    /// Removes the kit's folder and checks that it is gone. Runs to its end even if the task is cancelled.
    private func clean(_ home: ProviderPath, _ capabilities: Capabilities, into report: inout Report) async {
        let trial = Trial(provider: provider, capabilities: capabilities, folder: home, connect: connect)
        let limit = timeout
        let cleaning = Task {
            await TimeLimit.run(limit) {
                do { try await trial.removeTree(home) } catch {
                    throw Unmet("“\(home)” could not be removed, and is left behind: \(describe(error))")
                }
                try await trial.expectMissing(home, when: "after it was removed, the kit's folder")
            }
        }
        report.add(await cleaning.value, of: Self.cleaning, in: .run)
    }
}
