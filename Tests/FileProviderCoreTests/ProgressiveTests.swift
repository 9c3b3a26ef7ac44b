import FileProviderCore
import Foundation
import Testing

@Suite struct ProgressiveTests {
    @Test(arguments: [
        (Int64(0), -1, Int64(0), 100), (40, -1, 40, 60), (40, 10, 40, 10), (90, 100, 90, 10), (100, -1, 100, 0),
        (0, 0, 0, 0),
    ])
    func `pieces come in order after the file's attributes`(
        _ offset: Int64, _ length: Int, _ start: Int64, _ count: Int
    ) async throws {
        let (heard, ended) = (CollectedValues<String>(), Signal())
        let bytes = CollectedValues<UInt8>()
        let provider: any FileProviderBasic = StubProvider()
        let reader = try #require(provider as? any FileProviderReadWriteProgressive)
        let progress = reader.contents(path: "/a", offset: offset, length: length) { response in
            heard.append("size \(response.size)")
        } progressHandler: { position, data in
            heard.append("at \(position)")
            bytes.append(Array(data))
        } completionHandler: { error in
            heard.append("\(error == nil)")
            ended.fire()
        }
        try await ended.wait()
        #expect(bytes.values.count == count)
        #expect(heard.values == (count > 0 ? ["size 100", "at \(start)", "true"] : ["size 100", "true"]))
        #expect(progress?.fractionCompleted == 1 && progress?.kind == .file)
    }

    @Test func `cancelling from a handler stops the pieces`() async throws {
        let (ended, errors) = (Signal(), CollectedValues<(any Error)?>())
        let holder = LockedValue<Progress?>(nil)
        let progress = StubProvider().contents(path: "/a") { _ in
            holder.value?.cancel()
        } progressHandler: { _, _ in
            holder.value?.cancel()
        } completionHandler: { error in
            errors.append(error)
            ended.fire()
        }
        holder.update { $0 = progress }
        progress?.cancel()
        try await ended.wait()
        #expect(errors.values.map { ($0 as? CocoaError)?.code } == [.userCancelled])
    }
}
