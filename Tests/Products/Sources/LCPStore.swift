import Foundation
import LCPStore

let store = try await SQLiteLicenseStore(at: URL(filePath: CommandLine.arguments[1]).appending(path: "licenses.db"))
_ = try await store.consume(10, of: .copy, limit: 10, for: "urn:example")
let isMore = try await store.consume(1, of: .copy, limit: 10, for: "urn:example")
print("\(try await store.used(.copy, of: "urn:example")) of 10 characters copied, \(isMore ? "and more" : "no more")")
try await store.close()
