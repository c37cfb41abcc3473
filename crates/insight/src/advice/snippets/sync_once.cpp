for (const auto &record : records)
    file << record << '\n';  // no std::endl, no std::flush here
file.flush();
fsync(fd);                   // once, when the checkpoint is complete
