// Also depends on the product MemoryFileProvider.
import FileProviderConformance
import MemoryFileProvider

// Holds a provider to a few of the kit's promises.
let kit = Conformance(provider: MemoryFileProvider(), folder: .root, isIncluded: { $0.contains("list") })
let report = await kit.run()
print("\(report.passed.count) promises kept, \(report.violations.count) broken")
guard report.isConforming, !report.passed.isEmpty else { fatalError("\(report)") }
