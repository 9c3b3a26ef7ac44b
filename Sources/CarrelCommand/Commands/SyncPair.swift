import Carrel
import Foundation
import Sync

/// Values that a sync on the command line derives from its two folders.
enum SyncPair {
    /// The two sides, with labels for conflict copies made from their hosts.
    static func folders(of pair: Pair) -> (source: SyncFolder, destination: SyncFolder) {
        var labels = (host(of: pair.source), host(of: pair.target))
        if labels.0 == labels.1 { labels = (labels.0 + " source", labels.1 + " destination") }
        return (
            SyncFolder(
                ProviderLocation(provider: pair.source.provider, path: pair.source.path), label: labels.0,
                user: pair.source.user),
            SyncFolder(
                ProviderLocation(provider: pair.target.provider, path: pair.target.path), label: labels.1,
                user: pair.target.user)
        )
    }

    private static func host(of operand: Operand) -> String {
        if let host = operand.provider.baseURL?.host(), !host.isEmpty { return host }
        return operand.provider is LocalFileProvider ? ProcessInfo.processInfo.hostName : operand.provider.type
    }

    // MARK: State

    /// The default state file of two folders: in `sync` below the folder of states.
    static func stateFile(of folders: (source: SyncFolder, destination: SyncFolder), environment: [String: String])
        async throws -> URL
    {
        let name = String(format: "%016llx", hash(try await folders.source.key() + "\n" + folders.destination.key()))
        return URL(fileURLWithPath: stateFolder(environment)).appending(path: "\(name).db")
    }

    private static func stateFolder(_ environment: [String: String]) -> String {
        StateFolder.path(environment) + "/sync"
    }

    /// Filter rules that keep the states of this machine's pairs from being copied to another machine, which would
    /// mistake them for its own.
    static func rules(for pair: Pair, environment: [String: String]) throws -> [String] {
        let folder = try ProviderPath(stateFolder(environment))
        return [pair.source, pair.target].compactMap { operand in
            guard operand.provider is LocalFileProvider, let path = folder.relative(to: operand.path), !path.isRoot
            else {
                return nil
            }
            return "- " + path.string.map { "\\*?[".contains($0) ? "\\\($0)" : "\($0)" }.joined() + "/"
        }
    }

    /// FNV-1a, 64 bits: the same in every run. If two pairs have the same hash, the content of the state distinguishes
    /// them.
    private static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    // MARK: Errors

    /// Adds to an error of a whole run the side that it is about, and its exit code.
    static func locate(_ error: any Error, pair: Pair, state: URL) -> any Error {
        if error is CommandFailure || error.isCancellation { return error }
        guard let stop = error.removalStop else { return pair.locate(error) }
        let wayOn =
            switch stop {
            case .overLimit(let removals, _):
                "--max-delete \(removals) allows them; add --dry-run to see them first."
            case .emptySide: "--max-delete 100% allows it; the state is “\(state.path)”."
            }
        let path = (error as NSError).userInfo[NSFilePathErrorKey] as? String ?? ""
        return stop.error(path, sentence: "\(error.sentence) \(wayOn)").at("", status: .failed)
    }
}
