public import Foundation

extension FileProviderBasic {
    /// Returns a file error at `path` in this provider, with its URL and the usual sentence.
    public func cocoaError(_ path: String, code: CocoaError.Code) -> CocoaError {
        FileError.make(code, path: path, url: (try? ProviderPath(path)).map { self.url(of: $0) })
    }

    /// Returns a transport error at `path` in this provider, with its URL and the usual sentence.
    public func urlError(_ path: String, code: URLError.Code) -> URLError {
        let url = (try? ProviderPath(path)).map { self.url(of: $0) }
        return FileError.make(code, url: url, sentence: "“\(path)”: the connection failed (\(code.rawValue)).")
    }
}
