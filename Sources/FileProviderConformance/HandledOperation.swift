import FileProviderCore
import Foundation

/// An operation in its form with a completion handler, and the content of a folder before and after it.
///
/// All operations are tried by the same rules: success, failure, cancellation, release, and other endings.
struct HandledOperation: Sendable {
    typealias Handler = @Sendable ((any Error)?) -> Void

    /// The operation's name, at the start of a sentence.
    let name: String
    let needs: [Behaviour.Requirement]
    let before: Contents
    let after: Contents
    /// Starts it in a folder, with a local folder for its use.
    let start:
        @Sendable (_ provider: any FileProvider, _ folder: String, _ local: URL, _ called: @escaping Handler) ->
            Progress?

    private init(
        _ name: String, before: Contents, after: Contents, needs: [Behaviour.Requirement] = [],
        start: @escaping @Sendable (any FileProvider, String, URL, @escaping Handler) -> Progress?
    ) {
        self.name = name
        self.needs = [.ability(.writing)] + needs
        self.before = before
        self.after = after
        self.start = start
    }

    /// The content of the operations' file.
    static let bytes = Pattern.data(150_000)
    private static let file: Contents = ["file": bytes]

    static let all: [HandledOperation] = [
        HandledOperation("Listing", before: file, after: file) { provider, folder, _, called in
            provider.contentsOfDirectory(path: folder) { items, error in
                let isRight = error != nil || items.map(\.name) == ["file"]
                called(isRight ? error : Unmet("Expected “file” in the listing, but \(items.count) items arrived."))
            }
        },
        HandledOperation("Looking", before: file, after: file) { provider, folder, _, called in
            provider.attributesOfItem(path: folder + "/file") { item, error in
                let isRight = error != nil || item?.size == Int64(bytes.count)
                called(
                    isRight ? error : Unmet("Expected the file's attributes, but they are \(String(describing: item)).")
                )
            }
        },
        HandledOperation("Reading", before: file, after: file) { provider, folder, _, called in
            provider.contents(path: folder + "/file") { data, error in
                called(
                    error != nil || data == bytes
                        ? error : Unmet("Expected the file's bytes, but \(data?.count ?? 0) arrived."))
            }
        },
        HandledOperation("Fetching", before: file, after: file) { provider, folder, local, called in
            let target = local.appendingPathComponent("down")
            return provider.copyItem(path: folder + "/file", toLocalURL: target, overwrite: true) { error in
                let isWhole = error != nil || (try? Data(contentsOf: target)) == bytes
                called(isWhole ? error : Unmet("Expected the whole file on this machine, but it is another."))
            }
        },
        HandledOperation("Writing", before: [:], after: file) { provider, folder, _, called in
            provider.writeContents(path: folder + "/file", contents: bytes, completionHandler: called)
        },
        HandledOperation("Sending", before: [:], after: file) { provider, folder, local, called in
            provider.copyItem(
                localFile: local.appendingPathComponent("up"), to: folder + "/file", completionHandler: called)
        },
        HandledOperation("Making a folder", before: [:], after: ["folder": nil]) { provider, folder, _, called in
            provider.create(folder: "folder", at: folder, completionHandler: called)
        },
        HandledOperation("Moving", before: file, after: ["moved": bytes], needs: [.ability(.moving)]) {
            provider, folder, _, called in
            provider.moveItem(path: folder + "/file", to: folder + "/moved", completionHandler: called)
        },
        HandledOperation("Copying", before: file, after: ["file": bytes, "copy": bytes]) {
            provider, folder, _, called in
            provider.copyItem(path: folder + "/file", to: folder + "/copy", completionHandler: called)
        },
        HandledOperation("Removing", before: file, after: [:]) { provider, folder, _, called in
            provider.removeItem(path: folder + "/file", completionHandler: called)
        },
    ]
}

/// The content of a folder: files with their bytes, and empty folders.
typealias Contents = [String: Data?]

extension Trial {
    /// Calls `body` with a new folder that holds `contents`, and a folder of this machine with the file `up` in it.
    func withContents(
        _ contents: Contents, in name: String = "in",
        _ body: (_ folder: ProviderPath, _ local: URL) async throws -> Void
    )
        async throws
    {
        let folder = try await makeFolder(name)
        for (file, data) in contents {
            if let data { try await write("\(name)/\(file)", data) } else { try await makeFolder("\(name)/\(file)") }
        }
        try await withLocalFolder { local in
            try HandledOperation.bytes.write(to: local.appendingPathComponent("up"))
            try await body(folder, local)
        }
    }

    func expectContents(_ contents: Contents, in folder: ProviderPath, _ when: String) async throws {
        try await expectNames(Array(contents.keys), in: folder, when: when)
        for (name, data) in contents {
            let path = try folder.appending(name)
            if let data {
                try await expectBytes(data, at: path, when: when)
            } else {
                try await expectNames([], in: path, when: when)
            }
        }
    }

    /// Expects a folder to have one of these contents. A server may take a moment to finish work for a client that has
    /// left.
    ///
    /// - Parameter isSwept: Whether items with temporary names are removed first.
    func expectContents(oneOf all: [Contents], in folder: ProviderPath, _ when: String, isSwept: Bool = false)
        async throws
    {
        let deadline = ContinuousClock.now + .seconds(10)
        while true {
            if isSwept { try await sweep(folder) }
            var unmet: (any Error)?
            for contents in all {
                do { return try await expectContents(contents, in: folder, when) } catch { unmet = unmet ?? error }
            }
            if let unmet, ContinuousClock.now > deadline || Task.isCancelled { throw unmet }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private func sweep(_ folder: ProviderPath) async throws {
        for item in try await list(folder) where TemporaryName.matches(item.name) {
            do { try await provider.removeItem(path: item.path) } catch let error where error.isNoSuchFile {
                // The server was faster.
            }
        }
    }
}
