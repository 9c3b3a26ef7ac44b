#if THREAD_SANITIZER
    import FileProviderCore

    /// As in the core.
    typealias Mutex<Value: ~Copyable> = FileProviderCore.Mutex<Value>
#endif
