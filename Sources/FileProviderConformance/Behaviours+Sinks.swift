import FileProviderCore
import Foundation

extension Behaviour {
    /// Reading into sinks that are slow, fail or stop accepting bytes.
    static let sinks: [Behaviour] = [
        Behaviour("A slow sink is waited for", .ability(.writing)) { trial in
            let all = Pattern.data(3_000_000)
            let path = try await trial.write("file", all)
            let sink = ProbeSink(.slow)
            let extent = try await trial.provider.withReader(path: path) { try await $0.stream(.whole, into: sink) }
            try sink.expectDelivery(
                of: all, extent: extent, offset: 0, size: 3_000_000, what: "Reading into a slow sink")
        },
        Behaviour("A sink that throws ends the transfer, and its error arrives", .ability(.writing)) { trial in
            let path = try await trial.write("file", Pattern.data(3_000_000))
            let sink = ProbeSink(.failing)
            try await expectFailure("Reading into a sink that throws", .deliberate) {
                _ = try await trial.provider.withReader(path: path) { try await $0.stream(.whole, into: sink) }
            }
            try expect(sink.fault == nil, "Expected no bytes after the sink threw, but \(sink.fault ?? "").")
        },
        Behaviour("A reader goes on working after a sink threw", .ability(.writing)) { trial in
            let all = Pattern.data(600_000)
            let path = try await trial.write("file", all)
            try await trial.provider.withReader(path: path) { reader in
                try? await { _ = try await reader.stream(.whole, into: ProbeSink(.failing)) }()
                let found = try await reader.read(.whole).data
                try expect(found == all, "A read after a sink threw: \(difference(found, from: all)).")
            }
        },
        Behaviour("Cancelling a read whose sink takes nothing ends it at once", .ability(.writing)) { trial in
            let path = try await trial.write("file", Pattern.data(4 << 20))
            let sink = ProbeSink(.stalling)
            let reading = Task {
                try await trial.provider.withReader(path: path) { try await $0.stream(.whole, into: sink) }
            }
            try await withTaskCancellationHandler {
                defer { sink.released.fire() }
                await sink.reached.wait()
                reading.cancel()
                try await expectFailure("Cancelling a read", .cancelled) { _ = try await reading.value }
            } onCancel: {
                sink.released.fire()
            }
        },
        Behaviour("A read in a cancelled task does not pretend to have read", .ability(.writing)) { trial in
            let all = Pattern.data(5000)
            let path = try await trial.write("file", all)
            let reading = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await trial.provider.contents(path: path)
            }
            switch await reading.result {
            case .success(let found):
                try expect(found == all, "A read in a cancelled task: \(difference(found, from: all)).")
            case .failure(let error):
                try expect(
                    error.isCancellation,
                    "Expected a cancellation error in a cancelled task, but it was \(describe(error))")
            }
        },
    ]
}
