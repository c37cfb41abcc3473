std::set<std::string> there;  // once, not std::filesystem::exists() for each name
for (const auto &entry : std::filesystem::directory_iterator(folder))
    there.insert(entry.path().filename());
