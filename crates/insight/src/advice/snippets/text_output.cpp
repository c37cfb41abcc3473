for (int step = 0; step < steps; step++) {
    for (const auto &record : records)
        file << record << '\n';  // std::endl writes each line at once
    file.flush();                // once per step, if someone looks on
}
