import FileProviderCore
import Foundation
import Synchronization

extension Behaviour {
    /// Progress of transfers, in Foundation's form and in the reporter's.
    static let progress: [Behaviour] = [
        Behaviour("The Progress of a write ends at 1.0, with the file's size", .ability(.writing)) { trial in
            let path = try trial.at("file").string
            let progress = try await trial.follow("Writing") {
                trial.provider.writeContents(path: path, contents: Pattern.data(200_000), completionHandler: $0)
            }
            try expectDone(progress, 200_000, "Writing")
        },
        Behaviour("The Progress of a read ends at 1.0, with the file's size", .ability(.writing)) { trial in
            let path = try await trial.write("file", Pattern.data(200_000)).string
            let progress = try await trial.follow("Reading") { called in
                trial.provider.contents(path: path) { called($1) }
            }
            try expectDone(progress, 200_000, "Reading")
        },
        Behaviour("The Progress of files that go up and down ends at 1.0", .ability(.writing)) { trial in
            let path = try trial.at("file").string
            try await trial.withLocalFolder { local in
                let (source, target) = (local.appendingPathComponent("up"), local.appendingPathComponent("down"))
                try Pattern.data(90_000).write(to: source)
                let up = try await trial.follow("Sending") {
                    trial.provider.copyItem(localFile: source, to: path, completionHandler: $0)
                }
                try expectDone(up, 90_000, "Sending")
                let down = try await trial.follow("Fetching") {
                    trial.provider.copyItem(path: path, toLocalURL: target, completionHandler: $0)
                }
                try expectDone(down, 90_000, "Fetching")
            }
        },
        Behaviour("The Progress of an empty file ends at 1.0", .ability(.writing)) { trial in
            let path = try trial.at("file").string
            let up = try await trial.follow("Writing") {
                trial.provider.writeContents(path: path, contents: nil, completionHandler: $0)
            }
            let down = try await trial.follow("Reading") { called in trial.provider.contents(path: path) { called($1) }
            }
            let fractions = [up?.fractionCompleted, down?.fractionCompleted]
            try expect(
                fractions == [1, 1], "Expected 1.0 for writing and reading an empty file, but it is \(fractions).")
        },
        Behaviour("The Progress of a failure does not end at 1.0") { trial in
            let path = try trial.at("missing").string
            let handled = CompletionRecorder<(any Error)?>()
            let progress = handled.start { called in trial.provider.contents(path: path) { called($1) } }
            _ = try await handled.value("Reading a missing file")
            try expect(progress?.fractionCompleted ?? 0 < 1, "Expected less than 1.0 after a failure, but it is 1.0.")
        },
        Behaviour("A write reports every byte once, and never more than there are", .ability(.writing)) { trial in
            let reports = Reports()
            try await trial.provider.writeContents(
                path: try trial.at("file"), from: DataSource(Pattern.data(500_000)), options: WriteOptions(),
                progress: reports.reporter)
            try reports.expectEnd(500_000, what: "Writing")
        },
        Behaviour("A copy reports no more bytes than there are", .ability(.writing)) { trial in
            let path = try await trial.write("file", Pattern.data(300_000))
            let reports = Reports()
            try await trial.provider.copyItem(
                path: path, to: try trial.at("copy"), overwrite: false, progress: reports.reporter)
            let furthest = reports.furthest
            try expect(furthest <= 300_000, "Expected at most 300000 bytes to be reported, but it was \(furthest).")
        },
    ]

    private static func expectDone(_ progress: Progress?, _ size: Int64, _ what: String) throws {
        guard let progress else { throw Unmet("\(what): expected a Progress, but there is none.") }
        let counts = "\(progress.completedUnitCount) of \(progress.totalUnitCount)"
        try expect(
            progress.completedUnitCount == size && progress.totalUnitCount == size && progress.fractionCompleted == 1,
            "\(what): expected \(size) of \(size) bytes and 1.0, but it ended at \(counts) and \(progress.fractionCompleted)."
        )
    }
}

extension Trial {
    /// Returns the Progress of an operation that has succeeded.
    fileprivate func follow(
        _ what: String, _ operation: (_ called: @escaping @Sendable ((any Error)?) -> Void) -> Progress?
    ) async throws -> Progress? {
        let handled = CompletionRecorder<(any Error)?>()
        let progress = handled.start(operation)
        if let error = try await handled.value(what) { throw error }
        return progress
    }
}

/// The reports that a reporter received.
private final class Reports: Sendable {
    private let seen = Mutex((last: Int64(0), furthest: Int64(0), total: Int64?.none))

    var furthest: Int64 { seen.withLock { $0.furthest } }

    var reporter: ProgressReporter {
        ProgressReporter { [self] completed, total in
            seen.withLock { $0 = (completed, max($0.furthest, completed), total) }
        }
    }

    func expectEnd(_ size: Int64, what: String) throws {
        let (last, furthest, total) = seen.withLock { $0 }
        try expect(
            last == size && furthest == size && total == size,
            "\(what): expected reports up to \(size) of \(size) bytes, but the last was \(last) of \(total ?? -1), the largest \(furthest)."
        )
    }
}
