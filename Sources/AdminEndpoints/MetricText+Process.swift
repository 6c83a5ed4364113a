package import Meters

extension MetricText {
    /// Adds what the system reports of this process, by the names that Prometheus has for it.
    package mutating func addProcess() {
        let reading = ProcessReading()
        gauge(
            "process_resident_memory_bytes", "Resident memory size in bytes.",
            reading.residentBytes)
        gauge("process_virtual_memory_bytes", "Virtual memory size in bytes.", reading.virtualBytes)
        gauge("process_open_fds", "Number of open file descriptors.", reading.openFiles)
        gauge("process_max_fds", "Maximum number of open file descriptors.", reading.mostFiles)
        gauge(
            "relation_removed_files_bytes",
            "Room on the disk of files that were removed and are still open.",
            reading.removedBytes)
        if let start = reading.startTime {
            family(
                "process_start_time_seconds", .gauge,
                "Start time of the process since unix epoch in seconds.")
            sample(start)
            family("relation_uptime_seconds", .gauge, "How long the process has run.")
            sample(max(0, ProcessReading.now - start))
        }
        if let seconds = reading.seconds {
            family(
                "process_cpu_seconds_total", .counter,
                "Total user and system CPU time spent in seconds.")
            sample(seconds)
        }
        family(
            "relation_thread_cpu_seconds_total", .counter,
            "Processor time of the threads by their kind, those that have ended included.")
        for kind in reading.threads { sample(kind.seconds, ["kind": kind.kind]) }
        family("relation_threads", .gauge, "Threads that run at present, by their kind.")
        for kind in reading.threads { sample(kind.threads, ["kind": kind.kind]) }
    }

    private mutating func gauge(_ name: String, _ help: String, _ value: Int?) {
        guard let value else { return }
        family(name, .gauge, help)
        sample(value)
    }
}
