#if THREAD_SANITIZER
    import FileProviderCore

    /// As in FileProviderCore.
    typealias Mutex<Value: ~Copyable> = FileProviderCore.Mutex<Value>
#endif
