import Foundation

@testable import LCP

/// A licence or a status document of LCP. A canonical form is its own, and reads as the same licence; a refusal is a
/// problem with a sentence.
func fuzzLicense(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let bytes = Data(FuzzInput(data, size: size).bytes)
    checkJSON(bytes)
    if let license = accepted(LCPProblem.Kind.invalidLicense, { try LicenseDocument(data: bytes) }) {
        checkLicense(license, bytes)
    }
    if let status = accepted(LCPProblem.Kind.invalidStatus, { try StatusDocument(data: bytes) }) {
        precondition(status.data == bytes, "A status document is not kept as it was read.")
        precondition(status.link("license") != nil, "A status document has no link to its licence.")
        checkLinks(status.links)
    }
    return 0
}

private func checkJSON(_ bytes: Data) {
    guard let json = try? CanonicalJSON(data: bytes) else { return }
    let form = json.canonicalForm()
    guard let again = try? CanonicalJSON(data: form) else { preconditionFailure("A canonical form is not JSON.") }
    precondition(again == json && again.json == json.json, "A canonical form says something else.")
    precondition(again.canonicalForm() == form, "A canonical form has another one.")
    precondition(form.count <= bytes.count, "A canonical form is longer than what it was made of.")
}

private func checkLicense(_ license: LicenseDocument, _ bytes: Data) {
    precondition(license.data == bytes, "A licence is not kept as it was read.")
    do {
        let whole = try CanonicalJSON(data: bytes).canonicalForm()
        let same = try LicenseDocument(data: whole)
        precondition(same.json == license.json && same.links == license.links, "A licence changed in canonical form.")
        precondition(same.canonicalForm == license.canonicalForm, "A licence has two canonical forms.")
        let signed = try CanonicalJSON(data: license.canonicalForm)
        precondition(signed.canonicalForm() == license.canonicalForm, "What is signed is not in canonical form.")
        precondition((try? LicenseDocument(data: license.canonicalForm)) == nil, "The signature is signed.")
    } catch {
        preconditionFailure("A canonical form is not read: \(error)")
    }
    precondition([48, 64, 80].contains(license.contentKey.count), "A content key has another length.")
    precondition(license.keyCheck.count >= 32 && license.keyCheck.count.isMultiple(of: 16), "A key check is cut.")
    precondition(license.link("hint")?.type != nil && license.link("publication")?.type != nil, "A link is missing.")
    checkLinks(license.links)
}

private func checkLinks(_ links: [LicenseLink]) {
    precondition(links.count <= LicenseLink.largestCount, "There are \(links.count) links.")
    for link in links {
        precondition(!link.rel.isEmpty && !link.href.isEmpty, "A link is empty.")
        if let url = link.url(["id": "a b", "name": "é", "end": "2026-01-31T08:30:00Z"]) {
            precondition(url.scheme != nil, "“\(url)” has no scheme.")
        }
    }
}

/// What `read` returns; nil if it refuses with a problem of `kind`.
private func accepted<Document>(_ kind: LCPProblem.Kind, _ read: () throws -> Document) -> Document? {
    do {
        return try read()
    } catch {
        guard let problem = error as? LCPProblem, problem.kind == kind else {
            preconditionFailure("It is refused with another error: \(error)")
        }
        precondition(problem.sentence.hasSuffix("."), "It is refused without a sentence.")
        checkError(problem.underlying)
        return nil
    }
}
