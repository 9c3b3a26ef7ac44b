import FileProviderCore
import Foundation

extension Flaw {
    /// Appends that do something else.
    static let appending: [Flaw] = [
        Flaw("writes where it should append", found: "Appended bytes come behind those that were there") { hooks in
            hooks.append = { base, path, source, _ in
                try await base.writeContents(path: path, from: source, options: WriteOptions(overwrite: true))
            }
        },
        Flaw(
            "makes files that must be there", found: "An append to a missing file that must exist is refused"
        ) { hooks in
            hooks.append = { base, path, source, _ in try await base.append(path: path, from: source, createsFile: true)
            }
        },
        Flaw(
            "begins anew when the source fails",
            found: "An append whose source fails keeps the file, and of the source a beginning"
        ) { hooks in
            hooks.append = { base, path, source, createsFile in
                do { return try await base.append(path: path, from: source, createsFile: createsFile) } catch {
                    try await base.writeContents(path: path, contents: Data(), overwrite: true)
                    throw error
                }
            }
        },
        Flaw("appends without saying so", found: "Where appending is unavailable, it fails and changes nothing") {
            hooks in
            hooks.capabilities = { base in
                var capabilities = try await base.capabilities()
                capabilities[.appending] = .unavailable
                return capabilities
            }
        },
    ]
}
