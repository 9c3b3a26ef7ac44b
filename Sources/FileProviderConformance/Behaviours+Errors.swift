import FileProviderCore
import Foundation

extension Behaviour {
    /// Missing items, for each operation that looks at one.
    static let missing: [Behaviour] = [
        Behaviour(lookingOnly: "Attributes of a missing item say that it is missing") { trial in
            try await trial.expectMissing(try trial.at("carrel-conformance-missing"), when: "Nothing is there")
        },
        Behaviour("Listing a missing folder says that it is missing") { trial in
            let path = try trial.at("missing")
            try await expectFailure("Listing a missing folder", .noSuchFile) { _ = try await trial.list(path) }
        },
        Behaviour(lookingOnly: "Reading a missing file says that it is missing") { trial in
            let path = try trial.at("carrel-conformance-missing")
            try await expectFailure("Reading a missing file", .noSuchFile) {
                _ = try await trial.provider.contents(path: path)
            }
        },
        Behaviour(lookingOnly: "The size of a missing file says that it is missing") { trial in
            let path = try trial.at("carrel-conformance-missing")
            try await expectFailure("Asking a reader for the size of a missing file", .noSuchFile) {
                _ = try await trial.provider.withReader(path: path) { try await $0.attributes() }
            }
        },
        Behaviour("Reading a range of a missing file says that it is missing", .ability(.rangedReading)) { trial in
            let path = try trial.at("missing")
            try await expectFailure("Reading a range of a missing file", .noSuchFile) {
                _ = try await trial.provider.contents(path: path, part: .range(5..<10))
            }
        },
        Behaviour("Removing a missing item says that it is missing") { trial in
            let path = try trial.at("missing")
            for recursive in [false, true] {
                try await expectFailure("Removing a missing item (recursive: \(recursive))", .noSuchFile) {
                    try await trial.provider.removeItem(path: path, recursive: recursive)
                }
            }
        },
        Behaviour("What lies in a missing folder is missing") { trial in
            try await trial.expectMissing(try trial.at("missing/file"), when: "An item in a missing folder")
        },
    ]

    /// The contents of errors.
    static let errors: [Behaviour] = [
        Behaviour("Reading a folder as a file says that it is a folder") { trial in
            let path = try await trial.makeFolder("folder")
            try await expectFailure("Reading a folder", .isAFolder) {
                _ = try await trial.provider.contents(path: path)
            }
        },
        Behaviour("Looking below a file fails", .ability(.writing)) { trial in
            try await trial.write("file")
            let path = try trial.at("file/inner")
            try await expectFailure("Attributes of an item below a file") {
                _ = try await trial.provider.attributesOfItem(path: path)
            }
            try await expectFailure("Reading an item below a file") {
                _ = try await trial.provider.contents(path: path)
            }
        },
        Behaviour("An error names the path it is about") { trial in
            let path = try trial.at("the missing one")
            let error = await trial.error { _ = try await trial.provider.attributesOfItem(path: path) }
            let known = (error as? CocoaError)?.userInfo[NSFilePathErrorKey] as? String
            try expect(
                known == path.string, "Expected \(path) under NSFilePathErrorKey, but there is \(known ?? "nothing").")
        },
        Behaviour("An error has a sentence for a person") { trial in
            let path = try trial.at("missing")
            let error = await trial.error { _ = try await trial.provider.contents(path: path) }
            let sentence = error?.sentence ?? ""
            try expect(
                sentence.contains("missing"), "Expected a sentence that names “missing”, but it is “\(sentence)”.")
        },
        Behaviour("An error shows no user and password") { trial in
            let path = try trial.at("missing")
            let error = await trial.error { _ = try await trial.provider.contents(path: path) } as? CocoaError
            guard let url = error?.userInfo[NSURLErrorKey] as? URL else { return }
            try expect(
                url.user == nil && url.password == nil,
                "Expected a URL without user and password in the error, but it has one.")
        },
        Behaviour("Errors are Foundation's, or a server's own words") { trial in
            let missing = try trial.at("missing/deep")
            let folder = try await trial.makeFolder("folder")
            let errors = [
                await trial.error { _ = try await trial.list(missing) },
                await trial.error { _ = try await trial.provider.open(path: missing).read(.whole) },
                await trial.error { try await trial.provider.createFolder(path: folder) },
                await trial.error { try await trial.provider.removeItem(path: missing) },
            ]
            for error in errors {
                guard let error else { throw Unmet("Expected an error, but an impossible operation succeeded.") }
                let isKnown = error is CocoaError || error is URLError || error is any FileProviderHTTPError
                try expect(
                    isKnown, "Expected CocoaError, URLError or FileProviderHTTPError, but it is \(describe(error))")
            }
        },
        Behaviour("A missing file is no passing failure") { trial in
            let path = try trial.at("missing")
            let error = await trial.error { _ = try await trial.provider.attributesOfItem(path: path) }
            try expect(
                error?.isTransient == false,
                "Expected a missing file not to count as transient, but trying again is suggested.")
        },
    ]
}

extension Trial {
    /// Returns the error of `body`; nil if it succeeds.
    fileprivate func error(of body: () async throws -> Void) async -> (any Error)? {
        do { try await body() } catch { return error }
        return nil
    }
}
