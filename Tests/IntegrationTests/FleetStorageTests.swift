#if Fleet
    import FileProviderCore
    import Foundation
    import PostgresTransport
    import ProviderDoubles
    import Testing

    @testable import SyncFleet

    /// The states of a fleet on a real storage, and their names in a real PostgreSQL.
    @Suite(.enabled(if: FleetQueueBed.isReady, "PostgreSQL is not up; run bash Tests/run.sh"))
    struct FleetStorageTests {
        private func write(_ text: String, to copy: FleetStates.WorkingCopy) throws {
            try Data(text.utf8).write(to: copy.file.url)
        }

        @Test(
            "A state is kept on S3, and the holder of a lease that is over publishes nothing",
            .enabled(if: TestServers.s3 != nil || TestServers.areRequired, "S3 is not up; run bash Tests/run.sh"))
        func s3() async throws {
            let server = try #require(TestServers.s3)
            try await FleetQueueBed.use { bed in
                try await server.withFolder { provider, folder in
                    let caches = try TemporaryFolder()
                    func states(_ cache: String) async throws -> FleetStates {
                        let states = FleetStates(
                            ProviderLocation(provider: provider, path: folder),
                            cache: caches.url.appending(path: cache, directoryHint: .isDirectory))
                        try await states.open()
                        return states
                    }
                    let (first, second) = (try await states("first"), try await states("second"))
                    try await bed.add("a", every: 0)
                    let old = try #require(try await bed.claim().first)
                    let late = try await first.workingCopy(for: old)
                    try write("old", to: late)
                    let isTaken = try await bed.fleet.takeBack(id: old.id, fence: old.fence, beat: 0)
                    #expect(isTaken)
                    await #expect(throws: CocoaError.self) { _ = try await first.publish(late, of: old, in: bed.fleet) }

                    let new = try #require(try await bed.claim().first)
                    #expect(new.isUnsettled && new.stateName == nil)
                    let copy = try await second.workingCopy(for: new)
                    try write("new", to: copy)
                    let isNew = try await second.publish(copy, of: new, in: bed.fleet)
                    #expect(isNew)
                    let names = try await provider.contentsOfDirectory(
                        path: folder.appending(try ProviderPath("\(new.id)")))
                    #expect(names.count == 1)
                    try await bed.end(new, delay: 0)

                    let next = try #require(try await bed.claim().first)
                    let fetched = try await first.workingCopy(for: next)
                    #expect(fetched.origin == .provider)
                    #expect(try String(contentsOf: fetched.file.url, encoding: .utf8) == "new")
                    try await first.close()
                    try await second.close()
                }
            }
        }
    }
#endif
