std::ofstream file({path}, std::ios::binary | std::ios::app);  // before the loop, not in it
for (const auto &record : records)
    file << record << '\n';
