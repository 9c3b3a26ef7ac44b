import FileProviderCore
import Foundation

extension Behaviour {
    /// Readers: many reads of one file.
    static let reading: [Behaviour] = readers + versions + conditions + whatIsThere

    private static let readers: [Behaviour] = [
        Behaviour("A reader tells the file's size and path", .ability(.writing)) { trial in
            let path = try await trial.write("file", Pattern.data(777))
            let reader = try await trial.provider.open(path: path)
            let size = try await reader.attributes().size
            let known = reader.path
            await reader.close()
            try expect(
                size == 777 && known == path, "Expected 777 bytes at \(path), but the reader says \(size) at \(known).")
        },
        Behaviour("A reader of an empty file tells 0 bytes and gives none", .ability(.writing)) { trial in
            let path = try await trial.write("empty", Data())
            try await trial.provider.withReader(path: path) { reader in
                let size = try await reader.attributes().size
                let whole = try await reader.read(.whole).data
                try expect(
                    size == 0 && whole.isEmpty,
                    "Expected an empty file, but it has \(size) and gave \(whole.count) bytes.")
            }
        },
        Behaviour(
            "Several ranges in one call come in their order, whatever it is", .ability(.writing),
            .ability(.rangedReading)
        ) { trial in
            let all = Pattern.data(200_000)
            let path = try await trial.write("file", all)
            let ranges: [Range<Int64>] = [
                150_000..<150_100, 0..<10, 5..<20, 5..<20, 199_990..<200_010, 70_000..<70_000, 300_000..<300_005,
                40_000..<60_000, 20..<21,
            ]
            let found = try await trial.provider.withReader(path: path) { try await $0.read(ranges) }
            try expect(found.count == ranges.count, "Expected \(ranges.count) parts, but \(found.count) arrived.")
            for (range, data) in zip(ranges, found) {
                let bounds = FilePart.range(range).resolved(size: 200_000)
                let expected = Data(all[Int(bounds.lowerBound)..<Int(bounds.upperBound)])
                try expect(
                    data == expected,
                    "Range \(range): expected its \(expected.count) bytes, but \(difference(data, from: expected)).")
            }
        },
        Behaviour("A call without ranges gives nothing", .ability(.writing)) { trial in
            let path = try await trial.write("file")
            let found = try await trial.provider.withReader(path: path) { try await $0.read([Range<Int64>]()) }
            try expect(found.isEmpty, "Expected no parts for no ranges, but \(found.count) arrived.")
        },
        Behaviour("One reader serves 16 reads at once", .ability(.writing), .ability(.rangedReading)) { trial in
            let all = Pattern.data(160_000)
            let path = try await trial.write("file", all)
            try await trial.provider.withReader(path: path) { reader in
                try await inParallel(16) { index in
                    let start = (index * 7 % 16) * 10_000
                    let found = try await reader.read(Int64(start)..<Int64(start + 9_999))
                    let expected = Data(all[start..<(start + 9_999)])
                    try expect(found == expected, "A read at \(start) among 16: \(difference(found, from: expected)).")
                }
            }
        },
        Behaviour("One reader gives the same bytes twice", .ability(.writing)) { trial in
            let path = try await trial.write("file", Pattern.data(5000))
            try await trial.provider.withReader(path: path) { reader in
                for time in ["first", "second"] {
                    let found = try await reader.read(.whole).data
                    let expected = Pattern.data(5000)
                    try expect(
                        found == expected, "The \(time) read of one reader: \(difference(found, from: expected)).")
                }
            }
        },
        Behaviour("A closed reader can be closed again", .ability(.writing)) { trial in
            let reader = try await trial.provider.open(path: try await trial.write("file"))
            _ = try await reader.read(.whole)
            await reader.close()
            await reader.close()
        },
        Behaviour("The stream of pieces gives the whole file, and may be left early", .ability(.writing)) { trial in
            let all = Pattern.data(700_001)
            let reader = try await trial.provider.open(path: try await trial.write("file", all))
            var found = Data()
            for try await piece in reader.bytes() { found += piece }
            try expect(found == all, "The stream of pieces: \(difference(found, from: all)).")
            for try await piece in reader.bytes() where !piece.isEmpty { break }
            let again = try await reader.read(.whole).data
            try expect(again == all, "A read after a stream was left early: \(difference(again, from: all)).")
            await reader.close()
        },
    ]

    private static let versions: [Behaviour] = [
        Behaviour("A reader never mixes two versions of a file", .ability(.writing), .ability(.rangedReading)) {
            trial in
            let previous = Pattern.data(100_000)
            let path = try await trial.write("file", previous)
            let reader = try await trial.provider.open(path: path)
            let start = try await reader.read(0..<1000)
            try expect(
                start == previous.prefix(1000),
                "Expected the file's first bytes, but \(difference(start, from: previous.prefix(1000))).")
            try await trial.provider.writeContents(path: path, contents: Pattern.data(99_000, seed: 2), overwrite: true)
            // An error is correct; so are the old bytes, if the storage keeps them for the reader.
            let rest = try? await reader.read(50_000..<60_000)
            await reader.close()
            try expect(
                rest == nil || rest == previous[50_000..<60_000],
                "Expected an error or the old bytes from a reader whose file was replaced, but other bytes arrived.")
        }
    ]

    private static let conditions: [Behaviour] = [
        Behaviour("A version that the caller has is not read again, another one is", .ability(.writing)) { trial in
            let path = try await trial.write("file", Pattern.data(1000))
            let version = try await trial.version(of: path)
            let same = try await trial.provider.read(path, ReadOptions(ifNoneMatch: version))
            guard case .failure(let error) = same, error.unmodifiedFile != nil else {
                throw Unmet("Expected FileError.unmodified for the version that is there, but \(shown(same)).")
            }
            let other = Pattern.data(1001, seed: 2)
            try await trial.provider.writeContents(path: path, contents: other, overwrite: true)
            let read = try await trial.provider.read(path, ReadOptions(ifNoneMatch: version)).get()
            try expect(read == other, "Expected the new version, but \(difference(read, from: other)).")
        },
        Behaviour("Only the version that is wanted is read", .ability(.writing)) { trial in
            let first = Pattern.data(1000)
            let path = try await trial.write("file", first)
            let version = try await trial.version(of: path)
            let read = try await trial.provider.read(path, ReadOptions(ifMatch: version)).get()
            try expect(read == first, "Expected the version that is there, but \(difference(read, from: first)).")
            try await trial.provider.writeContents(path: path, contents: Pattern.data(1001, seed: 2), overwrite: true)
            let other = try await trial.provider.read(path, ReadOptions(ifMatch: version))
            guard case .failure(let error) = other, (error as? CocoaError)?.code == .fileReadUnknown else {
                throw Unmet("Expected FileError.otherVersion for a file that was replaced, but \(shown(other)).")
            }
        },
    ]

    private static let whatIsThere: [Behaviour] = [
        Behaviour(
            lookingOnly: "A file in a read-only folder reads alike in whole and in ranges", .unavailable(.writing),
            .ability(.rangedReading)
        ) { trial in
            // A failed listing is the subject of another behaviour.
            let files = ((try? await trial.list()) ?? []).filter { $0.isRegularFile && 2...(1 << 20) ~= $0.size ?? 0 }
            guard let file = files.first else { throw SkippedBehaviour(reason: "needs a small file in the folder") }
            try await trial.provider.withReader(path: file.path) { reader in
                let whole = try await reader.read(.whole).data
                let half = Int64(whole.count / 2)
                let parts = try await reader.read(.range(0..<half)).data + reader.read(.from(half)).data
                try expect(
                    parts == whole, "The halves of “\(file.name)” against the whole: \(difference(parts, from: whole))."
                )
            }
        }
    ]
}

extension Trial {
    /// - Throws: ``SkippedBehaviour`` if the storage has no versions.
    fileprivate func version(of path: ProviderPath) async throws -> String {
        let version = try await provider.withReader(path: path) { try await $0.attributes().validator }
        guard let version else { throw SkippedBehaviour(reason: "needs a storage that tells versions apart") }
        return version
    }
}

extension FileProviderReadWrite {
    fileprivate func read(_ path: ProviderPath, _ options: ReadOptions) async throws -> Result<Data, any Error> {
        do {
            let reader = try await open(path: path, options: options)
            do {
                let data = try await reader.read(.whole).data
                await reader.close()
                return .success(data)
            } catch {
                await reader.close()
                throw error
            }
        } catch let error where !error.isCancellation { return .failure(error) }
    }
}

private func shown(_ result: Result<Data, any Error>) -> String {
    switch result {
    case .success(let data): "\(data.count) bytes came"
    case .failure(let error): "it failed with \(describe(error))"
    }
}
