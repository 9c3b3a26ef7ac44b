import Foundation
import LCP

// A book is no licence; a licence would be shown.
do {
    let license = try LicenseDocument(data: Data(contentsOf: URL(filePath: CommandLine.arguments[1])))
    print(license.provider, license.hint)
} catch let problem as LCPProblem {
    print(problem.sentence)
}
