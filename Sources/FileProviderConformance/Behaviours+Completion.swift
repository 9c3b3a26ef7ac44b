import FileProviderCore
import Foundation

extension Behaviour {
    /// The forms with a completion handler: each handler is called once, with the outcome.
    static let completion: [Behaviour] = [
        Behaviour("With handlers, writing and reading give the bytes once", .ability(.writing)) { trial in
            let path = try trial.at("file").string
            try await trial.finish("Writing") {
                trial.provider.writeContents(path: path, contents: Pattern.data(5000), completionHandler: $0)
            }
            let (data, error) = try await trial.complete("Reading") { called in
                trial.provider.contents(path: path) { called(($0, $1)) }
            }
            try expect(
                data == Pattern.data(5000),
                "Expected 5000 bytes and no error, but \(error.map(describe) ?? "others") arrived.")
        },
        Behaviour("With handlers, a part of a file is read", .ability(.writing), .ability(.rangedReading)) { trial in
            let path = try await trial.write("file", Pattern.data(5000)).string
            let (data, _) = try await trial.complete("Reading a part") { called in
                trial.provider.contents(path: path, offset: 1000, length: 50) { called(($0, $1)) }
            }
            try expect(
                data == Pattern.data(5000)[1000..<1050],
                "Expected 50 bytes from 1000, but \(data?.count ?? -1) others arrived.")
        },
        Behaviour(
            "With handlers, a length beyond all measure reads to the end", .ability(.writing), .ability(.rangedReading)
        ) { trial in
            let path = try await trial.write("file", Pattern.data(5000)).string
            let (data, _) = try await trial.complete("Reading a very long part") { called in
                trial.provider.contents(path: path, offset: 1000, length: .max) { called(($0, $1)) }
            }
            try expect(
                data == Pattern.data(5000).dropFirst(1000),
                "Expected 4000 bytes from 1000, but \(data?.count ?? -1) arrived.")
        },
        Behaviour("With handlers, writing nothing makes an empty file", .ability(.writing)) { trial in
            let path = try trial.at("file")
            try await trial.finish("Writing nil") {
                trial.provider.writeContents(path: path.string, contents: nil, completionHandler: $0)
            }
            try await trial.expectBytes(Data(), at: path, when: "A write of nil")
        },
        Behaviour("With handlers, listing and attributes answer", .ability(.writing)) { trial in
            let path = try await trial.write("file")
            let (items, _) = try await trial.complete("Listing") { called in
                trial.provider.contentsOfDirectory(path: trial.folder.string) { called(($0, $1)) }
            }
            let (item, _) = try await trial.complete("Attributes") { called in
                trial.provider.attributesOfItem(path: path.string) { called(($0, $1)) }
            }
            try expect(
                items.map(\.path) == [path] && item?.path == path,
                "Expected “file” twice, but \(items.count) items arrived.")
        },
        Behaviour("With handlers, folders are made, moved, copied and removed", .ability(.writing), .ability(.moving)) {
            trial in
            let folder = trial.folder.string
            try await trial.finish("Making a folder") {
                trial.provider.create(folder: "a", at: folder, completionHandler: $0)
            }
            try await trial.write("a/file")
            try await trial.finish("Moving") {
                trial.provider.moveItem(path: folder + "/a", to: folder + "/b", completionHandler: $0)
            }
            try await trial.finish("Copying") {
                trial.provider.copyItem(path: folder + "/b/file", to: folder + "/c", completionHandler: $0)
            }
            try await trial.expectNames(["b", "c"], when: "After a move and a copy")
            try await trial.finish("Removing") { trial.provider.removeItem(path: folder + "/c", completionHandler: $0) }
            try await trial.expectNames(["b"], when: "After a removal")
        },
        Behaviour("With handlers, files go up from this machine and down to it", .ability(.writing)) { trial in
            let path = try trial.at("file").string
            try await trial.withLocalFolder { local in
                let (source, target) = (local.appendingPathComponent("up"), local.appendingPathComponent("down"))
                try Pattern.data(90_000).write(to: source)
                try await trial.finish("Sending") {
                    trial.provider.copyItem(localFile: source, to: path, completionHandler: $0)
                }
                try await trial.finish("Fetching") {
                    trial.provider.copyItem(path: path, toLocalURL: target, completionHandler: $0)
                }
                let found = try Data(contentsOf: target)
                try expect(
                    found == Pattern.data(90_000), "Up and down: \(difference(found, from: Pattern.data(90_000))).")
            }
        },
        Behaviour("With handlers, reachability and volume answer") { trial in
            let (isReachable, error) = try await trial.complete("Asking for reachability") { called in
                trial.provider.isReachable { called(($0, $1)) }
            }
            let answers = (try? await trial.provider.checkReachability()) != nil
            try expect(
                isReachable == answers && (error == nil) == answers,
                "Expected what the other form says, \(answers), but it is \(isReachable), \(error.map(describe) ?? "no error")."
            )
            _ = try await trial.complete("Asking for the volume") {
                trial.provider.storageProperties(completionHandler: $0)
            }
        },
    ]

    /// Failures and other endings of the forms with a completion handler.
    static let completionEndings: [Behaviour] = [
        Behaviour("With handlers, a failure arrives once") { trial in
            let path = try trial.at("missing").string
            try await expectFailure("Removing a missing item", .noSuchFile) {
                try await trial.finish("Removing") { trial.provider.removeItem(path: path, completionHandler: $0) }
            }
            let (data, error) = try await trial.complete("Reading a missing file") { called in
                trial.provider.contents(path: path) { called(($0, $1)) }
            }
            try expect(data == nil && error?.isNoSuchFile == true, "Expected no bytes and a no-such-file error.")
        },
        Behaviour("With handlers, “..” in a path is refused, once", .ability(.writing)) { trial in
            let path = trial.folder.string + "/../carrel-conformance-escape"
            try await expectFailure("Writing to a path with “..”", .invalidName) {
                try await trial.finish("Writing") {
                    trial.provider.writeContents(path: path, contents: nil, completionHandler: $0)
                }
            }
            try await expectFailure("Making a folder called “..”", .invalidName) {
                try await trial.finish("Making a folder") {
                    trial.provider.create(folder: "..", at: trial.folder.string, completionHandler: $0)
                }
            }
            let (items, error) = try await trial.complete("Listing “..”") { called in
                trial.provider.contentsOfDirectory(path: path) { called(($0, $1)) }
            }
            try expect(
                items.isEmpty && error != nil, "Expected no entries and an error for “..”, but \(items.count) arrived.")
        },
        Behaviour("With handlers, cancelling at once gives userCancelled or the result", .ability(.writing)) { trial in
            for round in 0..<10 { try await trial.cancelWriting(file: "file \(round)") }
        },
        Behaviour("A provider that was invalidated starts anew or says that it was cancelled", .connection) { trial in
            guard let connect = trial.connect else { return }
            let provider = try await connect()
            _ = try await provider.attributesOfItem(path: trial.folder)
            provider.invalidate()
            do { _ = try await provider.attributesOfItem(path: trial.folder) } catch {
                try expect(
                    error.isCancellation, "Expected success or a cancellation error, but it was \(describe(error))")
            }
        },
    ]
}

extension Trial {
    /// Cancels a write at once; it ends as one of two outcomes, and never in between.
    fileprivate func cancelWriting(file name: String) async throws {
        let path = try at(name)
        let data = Pattern.data(300_000)
        let handled = CompletionRecorder<(any Error)?>()
        let progress = handled.start {
            provider.writeContents(path: path.string, contents: data, completionHandler: $0)
        }
        progress?.cancel()
        guard let error = try await handled.value("Cancelling a write") else {
            try await expectBytes(data, at: path, when: "A write that was done before it was cancelled")
            return try await provider.removeItem(path: path)
        }
        try expect(
            Refusal.userCancelled.matches(error), "Expected CocoaError.userCancelled, but it was \(describe(error))")
        try await expectNames([], when: "After a cancelled write")
    }
}
