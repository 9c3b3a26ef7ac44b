import FileProviderCore
import Foundation

/// Everything that printing, dumping and bridging make of an error and of its causes: what a log or a report of an app
/// may hold.
package func shownForms(of error: any Error) -> String {
    var text = ""
    dump(error, to: &text)
    let bridged = error as NSError
    text += "\n\(error)\n\(String(reflecting: error))\n\(error.localizedDescription)\n\(error.sentence)"
    text += "\n\(bridged)\n\(bridged.debugDescription)\n\(bridged.userInfo)"
    for case let cause as any Error in bridged.userInfo.values { text += "\n" + shownForms(of: cause) }
    return text
}

/// The forms in which a password may be written: plain, percent-encoded, in Base64, and with its user as Basic
/// authentication has them (RFC 7617).
package func secretForms(of password: String, user: String) -> [String] {
    let encoded = password.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? password
    let base64 = ["\(user):\(password)", password].map { Data($0.utf8).base64EncodedString() }
    return [password, encoded] + base64
}
