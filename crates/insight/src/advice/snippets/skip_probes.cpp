std::ifstream file(path);  // no std::filesystem::exists() before
if (!file)
    std::cerr << "no such file\n";
