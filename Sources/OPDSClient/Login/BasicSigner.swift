import CurlTransport
import FileProviderCore
import HTTPFileProvider

/// Sends a user and password by Basic with each request, without the challenge that a connection waits for.
///
/// Some catalogues name Basic in their authentication document alone.
struct BasicSigner: HTTPRequestSigner {
    func sign(_ request: inout TransferRequest, with credential: Credential) throws {
        guard case .password(let user, let password) = credential.kind else { return }
        request.authentication = .basic(user: user, password: password)
    }
}
